// SPDX-License-Identifier: Apache-2.0
//
// How messages show values: the same in every locale; dtypes and tensors as annotations do.
#pragma once

#include <graphed/impl/spec.h>

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>

namespace graphed::impl {

/// As `<<` prints it: a shape is "[4, 8]".
template <class T>
std::string text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// What it says, without LibTorch's backtrace.
inline std::string message_of(const std::exception& error) {
  const auto* const torch = dynamic_cast<const c10::Error*>(&error);
  return torch == nullptr ? error.what() : torch->what_without_backtrace();
}

/// "CPUFloatType [4, 8]", as autograd names a tensor.
inline std::string describe(const at::Tensor& tensor) { return tensor.toString() + " " + text(tensor.sizes()); }

/// "f32". A dtype that cannot be annotated has LibTorch's name.
std::string annotated(c10::ScalarType dtype);
/// "x: f32[64, 784] grad"
std::string annotated(const TensorSpec& tensor);

/// "512 B", "37.0 KiB", "1.5 MiB": in units of 1024, rounded to a tenth.
std::string human_bytes(uint64_t bytes);
/// "11.9 us", "12 us", "3.4 ms", "90.0 s": rounded to a tenth. `microseconds` is finite and not negative.
std::string human_time(double microseconds);
/// "3, 7"
std::string listed(c10::ArrayRef<int64_t> numbers);
/// "1 call", "2 calls"
std::string counted(uint64_t count, const std::string& what);
/// With "#" in the place of each number: "expected [16, 8]" gives "expected [#, #]". Those within names stay, as in "conv2d", and those of
/// a place, as in "loss.cpp:31".
std::string without_numbers(std::string_view text);

/// `text` as a JSON string, with its quotes: LibTorch's headers have no JSON library. Bytes that are not UTF-8 become the replacement
/// character U+FFFD, so that any text makes a valid document (RFC 8259, sections 7 and 8.1).
std::string json_string(std::string_view text);

}  // namespace graphed::impl
