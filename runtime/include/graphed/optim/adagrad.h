// SPDX-License-Identifier: Apache-2.0
//
// graphed::optim::Adagrad (https://jmlr.org/papers/v12/duchi11a.html), by LibTorch's fused operator.
//
// Python: torch.optim.Adagrad(fused=True), bit for bit with the learning rate as a tensor. C++: torch::optim::Adagrad, up to rounding.
#pragma once

#include <graphed/optim/optimizer.h>

#include <torch/optim/adagrad.h>

#include <utility>
#include <vector>

namespace graphed::optim {

/// With `live`, the decays and eps are on the device too.
struct GRAPHED_API AdagradOptions : OptionsOf<AdagradOptions, torch::optim::AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : OptionsOf(lr) {}
  AdagradOptions(const torch::optim::AdagradOptions& options) : OptionsOf(options) {}

  GRAPHED_OPTION(AdagradOptions, torch::optim::AdagradOptions, double, lr)
  GRAPHED_OPTION(AdagradOptions, torch::optim::AdagradOptions, double, lr_decay)
  GRAPHED_OPTION(AdagradOptions, torch::optim::AdagradOptions, double, weight_decay)
  GRAPHED_OPTION(AdagradOptions, torch::optim::AdagradOptions, double, initial_accumulator_value)
  GRAPHED_OPTION(AdagradOptions, torch::optim::AdagradOptions, double, eps)
};

struct GRAPHED_API AdagradParamState : ParamState {
  TORCH_ARG(at::Tensor, step);  // float32, of shape [], on the parameter's device
  TORCH_ARG(at::Tensor, sum);   // as the parameter

 public:
  std::vector<at::Tensor*> tensors() override { return {&step_, &sum_}; }
};

class GRAPHED_API Adagrad : public Optimizer {
 public:
  /// Throws c10::Error for options out of range.
  explicit Adagrad(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdagradOptions defaults = {});
  explicit Adagrad(std::vector<at::Tensor> parameters, AdagradOptions defaults = {})
      : Adagrad(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}
};

}  // namespace graphed::optim
