// SPDX-License-Identifier: Apache-2.0
//
// A training step on several GPUs, whose gradients travel as a plan says.
#pragma once

#include "networks.h"

#include <graphed/annotate.h>
#include <graphed/optim/sgd.h>
#include <graphed/process_group.h>

#include <memory>
#include <string>
#include <vector>

namespace several {

/// `own`: as average_gradients does. Otherwise MiB of a bucket, the first of which has one: `25`, and letters. `t`: no bucket but the first
/// has more than all that come after it, or 1 MiB. `o`: the optimizer has an operator a bucket.
struct Plan {
  explicit Plan(const std::string& name);

  std::string name;
  bool own;
  std::size_t bytes = 0;
  bool tapers, divides_optimizer;
};

class Trainer {
 public:
  /// Without a group, gradients are not averaged.
  Trainer(Network network, graphed::ProcessGroup* ranks, const Plan& plan);

  GRAPHED(x: f32[rows, width], y: f32[rows, width]; rows in any 2, width in any 2, step)
  torch::Tensor fit(const torch::Tensor& x, const torch::Tensor& y);

  void average();
  torch::nn::Sequential net;

 private:
  graphed::ProcessGroup* const group_;
  std::vector<std::vector<torch::Tensor>> buckets_;  ///< parameters; none: as average_gradients does
  std::unique_ptr<graphed::optim::SGD> optimizer_;
};

}  // namespace several
