// SPDX-License-Identifier: Apache-2.0
//
// A training step of a class with members, in a pool.
#pragma once

#include <graphed/annotate.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

namespace app {

class Trainer {
 public:
  GRAPHED(x: f32[128, 3], y: f32[128, 2]; step, pool = training, slots = 1, strict)
  torch::Tensor update(const torch::Tensor& x, const torch::Tensor& y);

 private:
  torch::nn::Linear net_{3, 2};
  torch::optim::SGD optimizer_{net_->parameters(), 0.1};
  double scale_ = 1;
};

}  // namespace app
