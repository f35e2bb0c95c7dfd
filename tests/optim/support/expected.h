// SPDX-License-Identifier: Apache-2.0
//
// What expected.py says: it runs once for each device, by the Python that GRAPHED_PYTHON names, or python3.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <map>
#include <string>

namespace graphed::testing {

class figures {
 public:
  /// Throws where the script fails.
  static const figures& of(c10::Device device);
  /// Throws std::out_of_range where it made no such tensor.
  const at::Tensor& operator[](const std::string& name) const { return tensors_.at(name); }

 private:
  explicit figures(c10::Device device);
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace graphed::testing
