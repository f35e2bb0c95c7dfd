// SPDX-License-Identifier: Apache-2.0
//
// A call's tensors, flattened in the order of the callable's parameters, and restored into the types that it takes.
#pragma once

#include <graphed/impl/containers.h>
#include <graphed/results.h>

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace graphed::impl {

/// An argument in the memory of the host, as a Tensor or a std::optional of one, wherever the callable computes.
template <class Argument>
struct OnHost {
  explicit OnHost(const Argument& given) : argument(given) {}
  const Argument& argument;
};

/// A call's tensors. An absent std::optional is an undefined tensor. Generated code visits aggregates with it: it reads each tensor where
/// `Refill` writes one.
class Inputs {
 public:
  template <class... Parameters>
  explicit Inputs(const Parameters&... parameters) {
    ((*this)(parameters), ...);
  }

  c10::ArrayRef<at::Tensor> tensors() const { return tensors_; }
  /// How many elements each list and map has, in their order.
  c10::ArrayRef<int64_t> lengths() const { return lengths_; }
  /// Which tensors are given in the memory of the host, wherever the callable computes.
  c10::ArrayRef<std::size_t> given_on_host() const { return on_host_; }

  void operator()(const at::Tensor& tensor) { tensors_.push_back(tensor); }
  void operator()(const std::optional<at::Tensor>& tensor) { tensors_.push_back(tensor ? *tensor : at::Tensor()); }
  template <class Argument>
  void operator()(const OnHost<Argument>& given) {
    on_host(given.argument);
  }
  template <class Argument>
  void on_host(const Argument& argument) {
    on_host_.push_back(tensors_.size());
    (*this)(argument);
  }
  void operator()(at::TensorList list) {
    length(list.size());
    tensors_.append(list.begin(), list.end());
  }
  void operator()(const tensor_list& list) { (*this)(at::TensorList(list)); }
  /// A list or a map begins.
  void length(std::size_t count) { lengths_.push_back(static_cast<int64_t>(count)); }

  /// Each element of a std::vector, at::ArrayRef, c10::List, or std::array, whose length is not counted.
  template <class List, class F>
  void each(const List& list, F&& f) {
    if constexpr (!detail::is_array<List>) {
      length(list.size());
    }
    detail::for_each_element(list, f);
  }
  /// A map's value, which holds `tensors` tensors; they are undefined where the key is absent.
  template <class Map, class F>
  void at(const Map& map, const char* key, std::size_t tensors, F&& f) {
    if (!detail::with_value(map, key, f)) {
      tensors_.append(tensors, at::Tensor());
    }
  }
  /// Each value of a map, in the order in which the map keeps them; of a std::unordered_map, as their keys sort.
  template <class Map, class F>
  void each_value(const Map& map, F&& f) {
    detail::for_each_value(map, f);
  }

 private:
  c10::SmallVector<at::Tensor, 8> tensors_;
  c10::SmallVector<int64_t, 6> lengths_;
  c10::SmallVector<std::size_t, 2> on_host_;
};

/// The inverse of what `Inputs` makes of a std::optional.
inline std::optional<at::Tensor> optional_tensor(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

/// Tensors [first, first + count) as the list type that a callable takes: std::vector<Tensor> or at::TensorList.
template <class List>
List slice(const tensor_list& tensors, std::size_t first, std::size_t count) {
  const at::TensorList part = at::TensorList(tensors).slice(first, count);
  if constexpr (std::is_same_v<List, at::TensorList>) {
    return part;
  } else {
    return part.vec();
  }
}

}  // namespace graphed::impl
