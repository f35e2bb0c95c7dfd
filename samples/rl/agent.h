// SPDX-License-Identifier: Apache-2.0
//
// A learner by TD3, twin delayed deep deterministic policy gradients: https://arxiv.org/abs/1802.09477
#pragma once

#include "networks.h"
#include "replay_buffer.h"

#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <memory>

namespace rl {

/// Whose Adam moves the parameters: that of graphed::optim, which a graph may hold, or LibTorch's.
enum class Adam { graphed, libtorch };

/// Both updates are whole training steps: each draws a batch from the memory, of which the first `stored` transitions are filled, and
/// returns the loss, f32[].
class AgentImpl : public torch::nn::Module {
 public:
  /// `memory` lies on `device` and must outlive the agent.
  AgentImpl(const ReplayBuffer& memory, torch::Device device, Adam adam = Adam::graphed);

  GRAPHED(stored: live; step, policy = always)
  torch::Tensor update_critics(const graphed::Scalar& stored);

  /// The targets follow the actor and the critics.
  GRAPHED(stored: live; step, policy = always)
  torch::Tensor update_actor_and_targets(const graphed::Scalar& stored);

  const Actor& actor() const { return actor_; }

 private:
  torch::Tensor target_values(const Transitions& batch);

  const ReplayBuffer& memory_;
  Actor actor_, target_actor_;
  Critics critics_, target_critics_;
  std::unique_ptr<torch::optim::Optimizer> actor_optimizer_, critic_optimizer_;
};
TORCH_MODULE(Agent);

}  // namespace rl
