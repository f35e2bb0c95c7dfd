// SPDX-License-Identifier: Apache-2.0
//
// Numbers in a callable's result, which it has read of tensors by `item()`: for each, a graph gives the tensor, and the call reads that
// after the replay.
#pragma once

#include <graphed/export.h>
#include <graphed/impl/inputs.h>
#include <graphed/impl/refill.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/util/ArrayRef.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace graphed::impl {

/// What a callable under way has read of a tensor.
struct HostRead {
  c10::Scalar given;  ///< the number that it got: in a capture a placeholder
  at::Tensor from;    ///< a copy of the tensor as it was then
};

/// Of the run of a callable on this thread that is watched, if there is one.
GRAPHED_API c10::ArrayRef<HostRead> host_reads();
/// Whether the callable whose capture is under way makes narrower integers of larger ones without a look at their size, and so throws
/// nothing.
GRAPHED_API bool narrows_integers();
/// Whether the run under way is one that a replay is compared with: it reads the numbers themselves, and its result is not a capture's.
GRAPHED_API bool is_compared();
/// Notes a truth value of the result that no tensor has given: it is that of the capture, where each warm-up has given the same. False
/// where the run has read truth values of tensors, so that this may be one.
GRAPHED_API bool notes_truth_value(bool value);
/// Throws CaptureError in a capture, whose replays would repeat a number that no tensor has given.
GRAPHED_API void refuse_unread_number();

/// Whether `number` is what the read gave, maybe converted.
template <class T>
bool is_given_by(const HostRead& read, T number) {
  if (read.given.isBoolean() || std::is_same_v<T, bool>) {
    return read.given.isBoolean() && std::is_same_v<T, bool> && read.given.toBool() == static_cast<bool>(number);
  }
  if (!read.given.isFloatingPoint()) {
    return static_cast<T>(read.given.toLong()) == number;
  }
  const double given = read.given.toDouble();
  if constexpr (std::is_floating_point_v<T>) {
    const auto converted = static_cast<T>(given);
    return std::memcmp(&converted, &number, sizeof number) == 0;
  } else {
    return !std::isfinite(given) || static_cast<T>(static_cast<int64_t>(given)) == number;  // no integer is infinite
  }
}

/// The number that a tensor of one element holds, as `item<T>()` gives it, or, if it `narrows`, as a conversion of `item<int64_t>()` does.
/// Waits for the device.
template <class T>
T number_in(const at::Tensor& tensor, bool narrows = false) {
  const c10::Scalar value = tensor.item();
  if (narrows && value.isIntegral(/*includeBool=*/false)) {
    return static_cast<T>(value.toLong());
  }
  if constexpr (std::is_same_v<T, float>) {
    return value.toFloat();
  } else if constexpr (std::is_same_v<T, double>) {
    return value.toDouble();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value.toBool();
  } else if constexpr (std::is_same_v<T, int>) {
    return value.toInt();
  } else {
    return static_cast<T>(value.toLong());
  }
}

/// Takes a result's tensors, and for each number the tensor that it was read of.
class ResultTensors : public Inputs {
 public:
  using Inputs::operator();

  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  void operator()(const T& number) {
    for (const HostRead& read : host_reads()) {
      if (is_given_by(read, number)) {
        return (*this)(read.from);
      }
    }
    if constexpr (std::is_same_v<T, bool>) {
      if (notes_truth_value(number)) {
        return (*this)(at::Tensor());
      }
    }
    refuse_unread_number();
    (*this)(at::Tensor());
  }
};

/// The inverse: reads the numbers. One that no tensor has given stays as it is.
class ResultRefill : public Refill {
 public:
  using Refill::operator();
  using Refill::Refill;

  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  void operator()(T& number) {
    at::Tensor tensor;
    Refill::operator()(tensor);
    number = tensor.defined() ? number_in<T>(tensor, number != T()) : number;
  }
};

/// Takes the tensors out of a result that `packed` was taken from. Each number that a tensor has given becomes how the next refill shall
/// read it: zero, or one if it narrows.
class ResultForm : public Refill {
 public:
  /// `none`: as many undefined tensors. Keeps references.
  ResultForm(const tensor_list& packed, const tensor_list& none) : Refill(none), packed_(packed) {}
  using Refill::operator();

  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  void operator()(T& number) {
    std::size_t position = 0;
    Refill::operator()(position);
    number = packed_[position].defined() ? static_cast<T>(narrows_integers()) : number;
  }

 private:
  const tensor_list& packed_;
};

}  // namespace graphed::impl
