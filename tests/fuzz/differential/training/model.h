// SPDX-License-Identifier: Apache-2.0
//
// Networks from their descriptions.
#pragma once

#include "program.h"

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <vector>

namespace graphed::fuzz::training {

class model : public torch::nn::Module {
 public:
  model(network description, const at::TensorOptions& options);

  /// [rows, inputs] to [rows, outputs].
  at::Tensor forward(const at::Tensor& batch);

 private:
  class builder;
  at::Tensor next();
  at::Tensor apply(layer layer, const at::Tensor& x);

  const network description_;
  std::vector<at::Tensor> tensors_;  ///< parameters and buffers, in the order of their use
  std::size_t used_ = 0;             ///< in a forward
};

}  // namespace graphed::fuzz::training
