// SPDX-License-Identifier: Apache-2.0
//
// graphed::optim::RMSprop, by foreach operators: LibTorch has no fused one.
//
// Python: torch.optim.RMSprop(foreach=True, capturable=True), bit for bit with the learning rate as a tensor. C++: torch::optim::RMSprop,
// up to rounding.
#pragma once

#include <graphed/optim/optimizer.h>

#include <torch/optim/rmsprop.h>

#include <memory>
#include <utility>
#include <vector>

namespace graphed::optim {

/// torch::optim::RMSpropOptions and two more.
struct GRAPHED_API RMSpropOptions : torch::optim::RMSpropOptions {
  RMSpropOptions(double lr = 1e-2) : torch::optim::RMSpropOptions(lr) {}
  RMSpropOptions(const torch::optim::RMSpropOptions& options) : torch::optim::RMSpropOptions(options) {}

  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, lr)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, alpha)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, eps)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, weight_decay)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, double, momentum)
  GRAPHED_OPTION(RMSpropOptions, torch::optim::RMSpropOptions, bool, centered)
  /// Climbs in place of descending.
  TORCH_ARG(bool, maximize) = false;
  /// Alpha, eps, weight decay and momentum are on the device too: see optimizer.h.
  TORCH_ARG(bool, live) = false;

 public:
  std::unique_ptr<torch::optim::OptimizerOptions> clone() const override;
  void serialize(torch::serialize::InputArchive& archive) override;
  void serialize(torch::serialize::OutputArchive& archive) const override;
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
  explicit RMSprop(std::vector<at::Tensor> parameters, RMSpropOptions defaults = {});
};

}  // namespace graphed::optim
