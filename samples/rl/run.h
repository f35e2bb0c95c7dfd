// SPDX-License-Identifier: Apache-2.0
//
// One training run: the same for eager and for graphed calls.
#pragma once

#include <torch/torch.h>

#include "agent.h"
#include "replay_buffer.h"

#include <graphed/scalar.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace rl {

/// The agent's methods, or their graphed forms: the same signatures.
struct Calls {
  std::function<Tensor(const Tensor& observations)> forward, explore;
  std::function<Tensor(const graphed::Scalar& stored)> update_critics, update_actor_and_targets;
};

/// Update number `index`, counted from 0: of the critics, and every second time of the actor and the targets. Appends the losses.
inline void update(const Calls& calls, int64_t index, const ReplayBuffer& memory, std::vector<Tensor>& losses) {
  losses.push_back(calls.update_critics(memory.size()));
  if (index % 2 == 1) {
    losses.push_back(calls.update_actor_and_targets(memory.size()));
  }
}

class Run {
 public:
  explicit Run(torch::Device device)
      : device_(device), memory_(capacity, Pendulums::observation_size, Pendulums::action_size, device), agent_(memory_, device) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Plays `episodes` with all training pendulums, the first with random torques, the others with those of the actor and an update after
  /// each step. Shows the progress under `name`.
  void train(const Calls& calls, const std::string& name, int64_t episodes) {
    for (int64_t episode = 0; episode < episodes; ++episode) {
      play(calls, /*learning=*/episode > 0);
      returns_.push_back(evaluate(calls));
      std::cerr << '\r' << name << ": episode " << episode + 1 << " of " << episodes << ", return " << returns_.back() << "   "
                << std::flush;
    }
    std::cerr << '\n';
  }

  const Agent& agent() const { return agent_; }
  const ReplayBuffer& memory() const { return memory_; }
  const std::vector<Tensor>& losses() const { return losses_; }    ///< of all updates
  const std::vector<double>& returns() const { return returns_; }  ///< mean of the evaluation pendulums' after each episode

 private:
  static constexpr int64_t capacity = 4096 * training_pendulums;
  static constexpr double reward_scale = 0.1;  // values near 1 suit the critics' first weights

  void play(const Calls& calls, bool learning) {
    Pendulums pendulums(training_pendulums, device_);
    for (int64_t time = 0; time < Pendulums::episode_length; ++time) {
      act(calls, pendulums, /*randomly=*/!learning);
      if (learning) {
        update(calls, updates_++, memory_, losses_);
      }
    }
  }

  void act(const Calls& calls, Pendulums& pendulums, bool randomly) {
    const torch::NoGradGuard no_grad;
    const Tensor observations = pendulums.observe();
    const Tensor torques = randomly ? Pendulums::random_torques(training_pendulums, device_) : calls.explore(observations);
    const Tensor rewards = pendulums.step(torques) * reward_scale;
    memory_.store({observations, torques, rewards, pendulums.observe()});
  }

  double evaluate(const Calls& calls) const {
    const torch::NoGradGuard no_grad;
    Pendulums pendulums(evaluation_pendulums, device_);
    Tensor total = torch::zeros({evaluation_pendulums, 1}, device_);
    for (int64_t time = 0; time < Pendulums::episode_length; ++time) {
      total += pendulums.step(calls.forward(pendulums.observe()));
    }
    return total.mean().item<double>();
  }

  const torch::Device device_;
  ReplayBuffer memory_;
  Agent agent_;
  int64_t updates_ = 0;
  std::vector<Tensor> losses_;
  std::vector<double> returns_;
};

}  // namespace rl
