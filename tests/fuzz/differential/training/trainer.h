// SPDX-License-Identifier: Apache-2.0
//
// The networks, optimizers and scaler of a training program, and its steps run on them.
#pragma once

#include "model.h"
#include "program.h"

#include <graphed/grad_scaler.h>
#include <graphed/optim/optimizer.h>
#include <graphed/scalar.h>

#include <torch/optim/schedulers/step_lr.h>

#include <memory>
#include <optional>
#include <vector>

namespace graphed::fuzz::training {

using tensor_list = std::vector<at::Tensor>;

struct batch {
  at::Tensor inputs;
  at::Tensor targets;
};

class trainer {
 public:
  trainer(const program& program, c10::Device device);

  /// The losses, norms and gradients of a step, detached. `live`: the factor of the losses, where the step takes one.
  tensor_list run(const routine& routine, const batch& batch, const std::optional<Scalar>& live);

  /// All networks.
  torch::nn::Module& module() { return module_; }
  model& network(std::size_t index) { return *networks_[index]; }
  std::vector<at::Tensor> parameters(std::size_t network) const { return networks_[network]->parameters(); }
  optim::Optimizer& optimizer(std::size_t index) { return *optimizers_[index].self; }
  /// Multiplies the optimizer's learning rates by 0.75 with each step.
  torch::optim::StepLR& scheduler(std::size_t index) { return *optimizers_[index].scheduler; }
  GradScaler& scaler() { return scaler_; }
  /// What training changes, but for gradients.
  tensor_list state();

 private:
  struct trained_by {
    std::unique_ptr<optim::Optimizer> self;
    std::unique_ptr<torch::optim::StepLR> scheduler;
  };

  void perform(const statement& statement, const batch& batch, const std::optional<Scalar>& live, tensor_list& results);
  at::Tensor loss_of(const statement& statement, const batch& batch);
  void take_gradients(const statement& statement, const at::Tensor& loss, tensor_list& results);

  torch::nn::Module module_;
  std::vector<std::shared_ptr<model>> networks_;
  std::vector<trained_by> optimizers_;
  GradScaler scaler_;
};

}  // namespace graphed::fuzz::training
