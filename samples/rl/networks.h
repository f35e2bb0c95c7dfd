// SPDX-License-Identifier: Apache-2.0
//
// The networks of TD3: an actor, which chooses torques, and two critics, which value them. The sizes are LeanRL's.
#pragma once

#include <torch/torch.h>

#include "pendulum.h"

#include <graphed/annotate.h>

#include <cstdint>

namespace rl {

namespace nn = torch::nn;

constexpr int64_t training_pendulums = 16;
constexpr int64_t evaluation_pendulums = 64;

inline nn::Sequential perceptron(int64_t inputs, int64_t outputs) {
  constexpr int64_t hidden_size = 128;
  return nn::Sequential(nn::Linear(inputs, hidden_size), nn::ReLU(), nn::Linear(hidden_size, hidden_size), nn::ReLU(),
                        nn::Linear(hidden_size, outputs));
}

class ActorImpl : public nn::Module {
 public:
  ActorImpl() : layers_(perceptron(Pendulums::observation_size, Pendulums::action_size)) { register_module("layers", layers_); }

  /// The best torques that it knows: f32[n, 1], in newton metres.
  GRAPHED(observations: f32[evaluation_pendulums, Pendulums::observation_size])
  Tensor forward(const Tensor& observations) { return layers_->forward(observations).tanh() * Pendulums::max_torque; }

  /// Those with noise, to find better ones.
  GRAPHED(observations: f32[training_pendulums, Pendulums::observation_size])
  Tensor explore(const Tensor& observations) {
    constexpr double noise_scale = 0.1 * Pendulums::max_torque;
    const Tensor best = forward(observations);
    return (best + torch::randn_like(best) * noise_scale).clamp(-Pendulums::max_torque, Pendulums::max_torque);
  }

 private:
  nn::Sequential layers_;
};
TORCH_MODULE(Actor);

/// Two estimates of the rewards to come. Both are too high by chance, rarely both at once: a learner trusts the lower one.
class CriticsImpl : public nn::Module {
 public:
  CriticsImpl()
      : first_(perceptron(Pendulums::observation_size + Pendulums::action_size, 1)),
        second_(perceptron(Pendulums::observation_size + Pendulums::action_size, 1)) {
    register_module("first", first_);
    register_module("second", second_);
  }

  /// f32[n, 1] each, of observations f32[n, 3] and actions f32[n, 1].
  Tensor first(const Tensor& observations, const Tensor& actions) { return first_->forward(torch::cat({observations, actions}, 1)); }
  Tensor second(const Tensor& observations, const Tensor& actions) { return second_->forward(torch::cat({observations, actions}, 1)); }

 private:
  nn::Sequential first_, second_;
};
TORCH_MODULE(Critics);

}  // namespace rl
