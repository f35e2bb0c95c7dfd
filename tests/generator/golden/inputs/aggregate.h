// SPDX-License-Identifier: Apache-2.0
//
// Structs as an argument and as the result.
#pragma once

#include <graphed/annotate.h>
#include <graphed/scalar.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

namespace dqn {

struct Batch {
  std::map<std::string, torch::Tensor> obs;
  torch::Tensor action;
  torch::Tensor reward;
  std::vector<torch::Tensor> states;
};

struct Losses {
  torch::Tensor total;
  std::vector<torch::Tensor> by_head;
};

GRAPHED(batch: {obs: {image: f32[32, 84], speed: f32[32]}, action: i64[32], reward: f32[32], states: f32[32, 16] * 2},
        weights: f32[32] optional, gamma: live)
Losses losses(const Batch& batch, const std::optional<torch::Tensor>& weights, const graphed::Scalar& gamma);

}  // namespace dqn
