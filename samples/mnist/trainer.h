// SPDX-License-Identifier: Apache-2.0
//
// A network, its optimizer, and a whole step of training, which is annotated for graphgen.
#pragma once

#include "net.h"

#include <graphed/annotate.h>

#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>

namespace mnist {

constexpr int64_t batch_size = 64;

class Trainer {
 public:
  /// `optimizer` steps the parameters of `net`.
  Trainer(Net net, std::unique_ptr<torch::optim::Optimizer> optimizer);

  /// Forward, backward and the optimizer's step. Returns the loss, f32[].
  GRAPHED(images: f32[batch_size, 1, 28, 28], labels: i64[batch_size]; step, policy = always)
  torch::Tensor learn(const torch::Tensor& images, const torch::Tensor& labels);

  const Net& net() const { return net_; }
  const torch::optim::Optimizer& optimizer() const { return *optimizer_; }

 private:
  Net net_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace mnist
