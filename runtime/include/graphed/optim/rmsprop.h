// SPDX-License-Identifier: Apache-2.0
//
// graphed::optim::RMSprop, by foreach operators: LibTorch has no fused one.
//
// Python: torch.optim.RMSprop(foreach=True, capturable=True), bit for bit with the learning rate as a tensor. C++: torch::optim::RMSprop,
// up to rounding.
#pragma once

#include <graphed/optim/optimizer.h>

#include <torch/optim/rmsprop.h>

#include <utility>
#include <vector>

namespace graphed::optim {

/// With `live`, alpha, eps, weight decay and momentum are on the device too.
struct GRAPHED_API RMSpropOptions : OptionsOf<RMSpropOptions, torch::optim::RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : OptionsOf(lr) {}
  RMSpropOptions(const torch::optim::RMSpropOptions& options) : OptionsOf(options) {}

  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, lr)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, alpha)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, eps)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, weight_decay)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, momentum)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, bool, centered)
};

struct GRAPHED_API RMSpropParamState : ParamState {
  TORCH_ARG(at::Tensor, step);             // float32, of shape [], on the parameter's device
  TORCH_ARG(at::Tensor, square_avg);       // as the parameter
  TORCH_ARG(at::Tensor, momentum_buffer);  // as the parameter; undefined without momentum
  TORCH_ARG(at::Tensor, grad_avg);         // as the parameter; undefined if not centered

 public:
  std::vector<at::Tensor*> tensors() override { return {&step_, &square_avg_, &momentum_buffer_, &grad_avg_}; }
};

class GRAPHED_API RMSprop : public Optimizer {
 public:
  /// Throws c10::Error for options out of range.
  explicit RMSprop(const std::vector<torch::optim::OptimizerParamGroup>& groups, RMSpropOptions defaults = {});
  explicit RMSprop(std::vector<at::Tensor> parameters, RMSpropOptions defaults = {})
      : RMSprop(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}
};

}  // namespace graphed::optim
