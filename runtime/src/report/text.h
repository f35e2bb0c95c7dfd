// SPDX-License-Identifier: Apache-2.0
//
// How messages show values.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <exception>
#include <sstream>
#include <string>

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

}  // namespace graphed::impl
