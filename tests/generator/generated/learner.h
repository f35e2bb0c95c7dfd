// SPDX-License-Identifier: Apache-2.0
//
// A policy's updates that stop early, as docs/how-to/training-steps.md has them: by a number that the host reads, and by the device alone.
#pragma once

#include <graphed/annotate.h>
#include <graphed/clip_grad.h>
#include <graphed/optim/adam.h>

#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <optional>
#include <utility>

namespace learner {

using torch::Tensor;

struct Learner {
  explicit Learner(torch::Device device) : policy(8, 4), stopped(torch::zeros({}, device)) {
    policy->to(device);
    optimizer.emplace(policy->parameters(), graphed::optim::AdamOptions(0.02));
  }

  // The loss, with a history, and how far the policy has moved.
  GRAPHED(obs: f32[64, 8], action: i64[64, 1], before: f32[64, 1]; grads = in_graph)
  std::pair<Tensor, Tensor> loss(const Tensor& obs, const Tensor& action, const Tensor& before) {
    const Tensor change = torch::log_softmax(policy->forward(obs), 1).gather(1, action) - before;
    return {change.exp().mean().neg(), change.detach().square().mean()};
  }

  // What the backward has left in `.grad` moves the parameters.
  GRAPHED(; step)
  void update() {
    graphed::clip_grad_norm_(policy->parameters(), 0.5);
    optimizer->step();
  }

  // The same in one graph. A step does nothing once the policy has moved too far.
  GRAPHED(obs: f32[64, 8], action: i64[64, 1], before: f32[64, 1]; step)
  Tensor learn(const Tensor& obs, const Tensor& action, const Tensor& before) {
    optimizer->zero_grad();
    const auto [value, moved] = loss(obs, action, before);
    value.backward();
    stopped.copy_(torch::maximum(stopped, moved.gt(limit).to(torch::kFloat)));
    graphed::clip_grad_norm_(policy->parameters(), 0.5);
    optimizer->step_unless(stopped);
    return moved;
  }

  static constexpr double limit = 0.02;
  torch::nn::Linear policy;
  std::optional<graphed::optim::Adam> optimizer;
  Tensor stopped;
};

}  // namespace learner
