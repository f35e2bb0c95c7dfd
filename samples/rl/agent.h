// SPDX-License-Identifier: Apache-2.0
//
// A learner by TD3, twin delayed deep deterministic policy gradients: https://arxiv.org/abs/1802.09477
#pragma once

#include <torch/torch.h>

#include "networks.h"
#include "replay_buffer.h"

#include <graphed/annotate.h>
#include <graphed/average.h>
#include <graphed/optim/adam.h>
#include <graphed/scalar.h>

#include <memory>
#include <utility>
#include <vector>

namespace rl {

/// Whose Adam moves the parameters: that of graphed::optim, which a graph may hold, or LibTorch's.
enum class Adam { graphed, libtorch };

/// Both updates are whole training steps: each draws a batch from the memory, of which the first `stored` transitions are filled, and
/// returns the loss, f32[].
class AgentImpl : public nn::Module {
 public:
  static constexpr int64_t batch_size = 256;
  static constexpr double policy_noise = 0.2, noise_clip = 0.5;  // of the largest torque
  static constexpr double learning_rate = 1e-3;                  // a pendulum is learned faster than what LeanRL sets 3e-4 for
  static constexpr double discount = 0.98;
  static constexpr double target_rate = 0.01;

  /// `memory` is on `device` and must outlive the agent.
  AgentImpl(const ReplayBuffer& memory, torch::Device device, Adam adam = Adam::graphed) : memory_(memory) {
    register_module("actor", actor_);
    register_module("target_actor", target_actor_);
    register_module("critics", critics_);
    register_module("target_critics", target_critics_);
    to(device);
    follow(*target_actor_, *actor_);
    follow(*target_critics_, *critics_);
    actor_optimizer_ = make_optimizer(adam, actor_->parameters());
    critic_optimizer_ = make_optimizer(adam, critics_->parameters());
  }

  GRAPHED(stored: live; step)
  Tensor update_critics(const graphed::Scalar& stored) {
    const Transitions batch = memory_.sample(batch_size, stored);
    const Tensor wanted = target_values(batch);
    const Tensor loss = torch::mse_loss(critics_->first(batch.observations, batch.actions), wanted) +
                        torch::mse_loss(critics_->second(batch.observations, batch.actions), wanted);
    critic_optimizer_->zero_grad();
    loss.backward();
    critic_optimizer_->step();  // graphgen: allow(graphed-torch-optim)
    return loss.detach();
  }

  /// The targets follow the actor and the critics.
  GRAPHED(stored: live; step)
  Tensor update_actor_and_targets(const graphed::Scalar& stored) {
    const Tensor observations = memory_.sample(batch_size, stored).observations;
    const Tensor loss = -critics_->first(observations, actor_->forward(observations)).mean();
    actor_optimizer_->zero_grad();
    loss.backward({}, /*retain_graph=*/std::nullopt, /*create_graph=*/false, actor_->parameters());
    actor_optimizer_->step();  // graphgen: allow(graphed-torch-optim)
    graphed::lerp_(*target_actor_, *actor_, target_rate);
    graphed::lerp_(*target_critics_, *critics_, target_rate);
    return loss.detach();
  }

  const Actor& actor() const { return actor_; }

 private:
  Tensor target_values(const Transitions& batch) {
    const torch::NoGradGuard no_grad;
    const Tensor noise = (torch::randn_like(batch.actions) * policy_noise).clamp(-noise_clip, noise_clip) * Pendulums::max_torque;
    const Tensor actions = (target_actor_->forward(batch.next_observations) + noise).clamp(-Pendulums::max_torque, Pendulums::max_torque);
    const Tensor lower =
        torch::min(target_critics_->first(batch.next_observations, actions), target_critics_->second(batch.next_observations, actions));
    return batch.rewards + discount * lower;
  }

  /// The first values of a target network, which no gradient reaches.
  static void follow(nn::Module& target, const nn::Module& network) {
    graphed::copy_(target, network);
    for (Tensor& parameter : target.parameters()) {
      parameter.set_requires_grad(false);
    }
  }

  /// LibTorch's is for eager calls, beside which the graphs are timed.
  static std::unique_ptr<torch::optim::Optimizer> make_optimizer(Adam adam, std::vector<Tensor> parameters) {
    if (adam == Adam::libtorch) {
      return std::make_unique<torch::optim::Adam>(std::move(parameters), torch::optim::AdamOptions(learning_rate));
    }
    return std::make_unique<graphed::optim::Adam>(std::move(parameters), graphed::optim::AdamOptions(learning_rate));
  }

  const ReplayBuffer& memory_;
  Actor actor_, target_actor_;
  Critics critics_, target_critics_;
  std::unique_ptr<torch::optim::Optimizer> actor_optimizer_, critic_optimizer_;
};
TORCH_MODULE(Agent);

}  // namespace rl
