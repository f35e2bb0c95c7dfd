// SPDX-License-Identifier: Apache-2.0
#include "trainer.h"

#include <utility>

namespace mnist {

Trainer::Trainer(Net net, std::unique_ptr<torch::optim::Optimizer> optimizer) : net_(std::move(net)), optimizer_(std::move(optimizer)) {}

torch::Tensor Trainer::learn(const torch::Tensor& images, const torch::Tensor& labels) {
  optimizer_->zero_grad();
  const torch::Tensor loss = torch::nll_loss(net_(images), labels);
  loss.backward();
  optimizer_->step();
  return loss.detach();
}

}  // namespace mnist
