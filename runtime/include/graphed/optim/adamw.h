// SPDX-License-Identifier: Apache-2.0
//
// graphed::optim::AdamW: Adam (https://arxiv.org/abs/1412.6980) with weight decay apart from the gradient
// (https://arxiv.org/abs/1711.05101), by LibTorch's fused operator.
//
// Python: torch.optim.AdamW(fused=True), bit for bit with the learning rate as a tensor. C++: torch::optim::AdamW, up to rounding.
#pragma once

#include <graphed/optim/adam.h>
#include <graphed/optim/optimizer.h>

#include <torch/optim/adamw.h>

#include <tuple>
#include <utility>
#include <vector>

namespace graphed::optim {

/// With `live`, betas, eps and weight decay are on the device too.
struct GRAPHED_API AdamWOptions : OptionsOf<AdamWOptions, torch::optim::AdamWOptions> {
  AdamWOptions(double lr = 1e-3) : OptionsOf(lr) {}
  AdamWOptions(const torch::optim::AdamWOptions& options) : OptionsOf(options) {}

  using betas_t = std::tuple<double, double>;
  GRAPHED_OPTION(AdamWOptions, torch::optim::AdamWOptions, double, lr)
  GRAPHED_OPTION(AdamWOptions, torch::optim::AdamWOptions, betas_t, betas)
  GRAPHED_OPTION(AdamWOptions, torch::optim::AdamWOptions, double, eps)
  GRAPHED_OPTION(AdamWOptions, torch::optim::AdamWOptions, double, weight_decay)
  GRAPHED_OPTION(AdamWOptions, torch::optim::AdamWOptions, bool, amsgrad)
};

using AdamWParamState = AdamParamState;

class GRAPHED_API AdamW : public Optimizer {
 public:
  /// Throws c10::Error for options out of range.
  explicit AdamW(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdamWOptions defaults = {});
  explicit AdamW(std::vector<at::Tensor> parameters, AdamWOptions defaults = {})
      : AdamW(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}
};

}  // namespace graphed::optim
