// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for LibTorch's optimizers.
#pragma once

#include <torch/torch.h>

namespace torch {
namespace optim {
class OptimizerOptions {
 public:
  virtual void set_lr(double lr);
};
class Optimizer {
 public:
  virtual Tensor step() = 0;
  void zero_grad();
  OptimizerOptions& options();
};
struct Adam : Optimizer {
  Tensor step() override;
};
struct SGD : Optimizer {
  Tensor step() override;
};
struct LBFGS : Optimizer {
  Tensor step() override;
};
class LRScheduler {
 public:
  void step();
};
struct StepLR : LRScheduler {};
}  // namespace optim
namespace nn::utils {
inline double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2.0, bool error_if_nonfinite = false) { return parameters[0].norm().item<double>(); }
void clip_grad_value_(const std::vector<Tensor>& parameters, double value);
}  // namespace nn::utils
}  // namespace torch
