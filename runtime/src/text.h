// SPDX-License-Identifier: Apache-2.0
//
// How messages show values.
#pragma once

#include <ATen/core/Tensor.h>

#include <sstream>
#include <string>

namespace graphed {

/// As `<<` prints it: a shape is "[4, 8]".
template <class T>
std::string text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

/// Of each result; empty for one that is undefined.
inline std::vector<std::vector<int64_t>> shapes_of(const std::vector<at::Tensor>& tensors) {
  std::vector<std::vector<int64_t>> shapes;
  for (const auto& tensor : tensors) {
    shapes.push_back(tensor.defined() ? tensor.sizes().vec() : std::vector<int64_t>());
  }
  return shapes;
}

/// "CPUFloatType [4, 8]", as autograd names a tensor.
inline std::string describe(const at::Tensor& tensor) { return tensor.toString() + " " + text(tensor.sizes()); }

}  // namespace graphed
