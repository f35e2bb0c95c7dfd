// SPDX-License-Identifier: Apache-2.0
#include "networks.h"

namespace rl {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t hidden_size = 256;
constexpr double exploration_noise = 0.1;  // of the largest torque

nn::Sequential perceptron(int64_t inputs, int64_t outputs) {
  return nn::Sequential(nn::Linear(inputs, hidden_size), nn::ReLU(), nn::Linear(hidden_size, hidden_size), nn::ReLU(),
                        nn::Linear(hidden_size, outputs));
}

}  // namespace

ActorImpl::ActorImpl() : layers_(perceptron(Pendulums::observation_size, Pendulums::action_size)) { register_module("layers", layers_); }

Tensor ActorImpl::forward(const Tensor& observations) { return layers_->forward(observations).tanh() * Pendulums::max_torque; }

Tensor ActorImpl::explore(const Tensor& observations) {
  const Tensor best = forward(observations);
  const Tensor noise = torch::randn_like(best) * (exploration_noise * Pendulums::max_torque);
  return (best + noise).clamp(-Pendulums::max_torque, Pendulums::max_torque);
}

CriticsImpl::CriticsImpl()
    : first_(perceptron(Pendulums::observation_size + Pendulums::action_size, 1)),
      second_(perceptron(Pendulums::observation_size + Pendulums::action_size, 1)) {
  register_module("first", first_);
  register_module("second", second_);
}

Tensor CriticsImpl::first(const Tensor& observations, const Tensor& actions) {
  return first_->forward(torch::cat({observations, actions}, 1));
}

Tensor CriticsImpl::second(const Tensor& observations, const Tensor& actions) {
  return second_->forward(torch::cat({observations, actions}, 1));
}

}  // namespace rl
