// SPDX-License-Identifier: Apache-2.0
//
// graphed::optim::Adam: Adam (https://arxiv.org/abs/1412.6980) with weight decay added to the gradient, by LibTorch's fused operator.
//
// Python: torch.optim.Adam(fused=True), bit for bit with the learning rate as a tensor. C++: torch::optim::Adam, up to rounding.
#pragma once

#include <graphed/optim/optimizer.h>

#include <torch/optim/adam.h>

#include <tuple>
#include <utility>
#include <vector>

namespace graphed::optim {

/// With `live`, betas, eps and weight decay are on the device too.
struct GRAPHED_API AdamOptions : OptionsOf<AdamOptions, torch::optim::AdamOptions> {
  AdamOptions(double lr = 1e-3) : OptionsOf(lr) {}
  AdamOptions(const torch::optim::AdamOptions& options) : OptionsOf(options) {}

  using betas_t = std::tuple<double, double>;
  GRAPHED_OPTION(AdamOptions, torch::optim::AdamOptions, double, lr)
  GRAPHED_OPTION(AdamOptions, torch::optim::AdamOptions, betas_t, betas)
  GRAPHED_OPTION(AdamOptions, torch::optim::AdamOptions, double, eps)
  GRAPHED_OPTION(AdamOptions, torch::optim::AdamOptions, double, weight_decay)
  GRAPHED_OPTION(AdamOptions, torch::optim::AdamOptions, bool, amsgrad)
};

struct GRAPHED_API AdamParamState : ParamState {
  TORCH_ARG(at::Tensor, step);            // float32, of shape [], on the parameter's device
  TORCH_ARG(at::Tensor, exp_avg);         // as the parameter
  TORCH_ARG(at::Tensor, exp_avg_sq);      // as the parameter
  TORCH_ARG(at::Tensor, max_exp_avg_sq);  // as the parameter; undefined without amsgrad

 public:
  std::vector<at::Tensor*> tensors() override { return {&step_, &exp_avg_, &exp_avg_sq_, &max_exp_avg_sq_}; }
};

class GRAPHED_API Adam : public Optimizer {
 public:
  /// Throws c10::Error for options out of range.
  explicit Adam(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdamOptions defaults = {});
  explicit Adam(std::vector<at::Tensor> parameters, AdamOptions defaults = {})
      : Adam(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}
};

}  // namespace graphed::optim
