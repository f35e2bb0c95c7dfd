// SPDX-License-Identifier: Apache-2.0
//
// The networks of TD3: an actor, which chooses torques, and two critics, which value them. The sizes are LeanRL's.
#pragma once

#include <torch/nn.h>

#include "pendulum.h"

#include <graphed/annotate.h>

#include <cstdint>

namespace rl {

constexpr int64_t training_pendulums = 16;
constexpr int64_t evaluation_pendulums = 64;

class ActorImpl : public torch::nn::Module {
 public:
  ActorImpl();

  /// The best torques that it knows: f32[n, 1], in newton metres.
  GRAPHED(observations: f32[evaluation_pendulums, Pendulums::observation_size]; policy = always)
  torch::Tensor forward(const torch::Tensor& observations);

  /// Those with noise, to find better ones.
  GRAPHED(observations: f32[training_pendulums, Pendulums::observation_size]; policy = always)
  torch::Tensor explore(const torch::Tensor& observations);

 private:
  torch::nn::Sequential layers_;
};
TORCH_MODULE(Actor);

/// Two estimates of the rewards to come. Both are too high by chance, rarely both at once: a learner trusts the lower one.
class CriticsImpl : public torch::nn::Module {
 public:
  CriticsImpl();

  /// f32[n, 1] each, of observations f32[n, 3] and actions f32[n, 1].
  torch::Tensor first(const torch::Tensor& observations, const torch::Tensor& actions);
  torch::Tensor second(const torch::Tensor& observations, const torch::Tensor& actions);

 private:
  torch::nn::Sequential first_, second_;
};
TORCH_MODULE(Critics);

}  // namespace rl
