// SPDX-License-Identifier: Apache-2.0
//
// graphed::optim::SGD: stochastic gradient descent with momentum, by LibTorch's fused operator.
//
// Python: torch.optim.SGD(fused=True), bit for bit with the learning rate as a tensor. C++: torch::optim::SGD, up to rounding. As there,
// the first step's momentum is the gradient itself, not dampened; with dampening that costs two operators for each parameter.
#pragma once

#include <graphed/optim/optimizer.h>

#include <torch/optim/sgd.h>

#include <utility>
#include <vector>

namespace graphed::optim {

/// With `live`, momentum, dampening and weight decay are on the device too.
struct GRAPHED_API SGDOptions : OptionsOf<SGDOptions, torch::optim::SGDOptions> {
  SGDOptions(double lr) : OptionsOf(lr) {}
  SGDOptions(const torch::optim::SGDOptions& options) : OptionsOf(options) {}

  GRAPHED_OPTION(SGDOptions, torch::optim::SGDOptions, double, lr)
  GRAPHED_OPTION(SGDOptions, torch::optim::SGDOptions, double, momentum)
  GRAPHED_OPTION(SGDOptions, torch::optim::SGDOptions, double, dampening)
  GRAPHED_OPTION(SGDOptions, torch::optim::SGDOptions, double, weight_decay)
  GRAPHED_OPTION(SGDOptions, torch::optim::SGDOptions, bool, nesterov)
};

/// Without momentum both are undefined.
struct GRAPHED_API SGDParamState : ParamState {
  TORCH_ARG(at::Tensor, momentum_buffer);  // as the parameter, zeros before the first step
  TORCH_ARG(at::Tensor, fresh);            // with dampening: float32, of shape [], 1 before the first step, then 0

 public:
  std::vector<at::Tensor*> tensors() override { return {&momentum_buffer_, &fresh_}; }
};

class GRAPHED_API SGD : public Optimizer {
 public:
  /// Throws c10::Error for options out of range.
  explicit SGD(const std::vector<torch::optim::OptimizerParamGroup>& groups, SGDOptions defaults);
  explicit SGD(std::vector<at::Tensor> parameters, SGDOptions defaults)
      : SGD(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}
};

}  // namespace graphed::optim
