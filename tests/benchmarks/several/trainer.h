// SPDX-License-Identifier: Apache-2.0
//
// A training step on several GPUs.
#pragma once

#include "networks.h"

#include <graphed/annotate.h>
#include <graphed/optim/sgd.h>
#include <graphed/process_group.h>

#include <torch/torch.h>

#include <utility>

namespace several {

class Trainer {
 public:
  /// Without a group, gradients are not averaged.
  Trainer(Network network, graphed::ProcessGroup* ranks)
      : net(std::move(network.layers)), group_(ranks), optimizer_(net->parameters(), graphed::optim::SGDOptions(0.01).momentum(0.5)) {}

  GRAPHED(x: f32[rows, width], y: f32[rows, width]; rows in any 2, width in any 2, step)
  torch::Tensor fit(const torch::Tensor& x, const torch::Tensor& y) {
    optimizer_.zero_grad();
    const torch::Tensor loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    if (group_ != nullptr) {
      group_->average_gradients(*net);
    }
    optimizer_.step();
    return loss.detach();
  }

  torch::nn::Sequential net;

 private:
  graphed::ProcessGroup* const group_;
  graphed::optim::SGD optimizer_;
};

}  // namespace several
