// SPDX-License-Identifier: Apache-2.0
//
// One training run: the same for plain and for graphed calls.
#pragma once

#include "agent.h"
#include "replay_buffer.h"

#include <graphed/scalar.h>

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rl {

/// The agent's methods, or their graphed forms: the same signatures.
struct Calls {
  std::function<torch::Tensor(const torch::Tensor& observations)> forward, explore;
  std::function<torch::Tensor(const graphed::Scalar& stored)> update_critics, update_actor_and_targets;
};

/// Update number `index`, counted from 0: of the critics, and every second time of the actor and the targets. Appends the losses.
void update(const Calls& calls, int64_t index, const ReplayBuffer& memory, std::vector<torch::Tensor>& losses);

class Run {
 public:
  explicit Run(torch::Device device);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Plays `episodes` with all training pendulums, the first with random torques, the others with those of the actor and an update after
  /// each step. Shows the progress under `name`.
  void train(const Calls& calls, const std::string& name, int64_t episodes);

  const Agent& agent() const { return agent_; }
  const ReplayBuffer& memory() const { return memory_; }
  int64_t updates() const { return updates_; }
  const std::vector<torch::Tensor>& losses() const { return losses_; }  ///< of all updates
  const std::vector<double>& returns() const { return returns_; }       ///< mean of the evaluation pendulums' after each episode

 private:
  void play(const Calls& calls, bool learning);
  void act(const Calls& calls, Pendulums& pendulums, bool randomly);
  double evaluate(const Calls& calls) const;

  const torch::Device device_;
  ReplayBuffer memory_;
  Agent agent_;
  int64_t updates_ = 0;
  std::vector<torch::Tensor> losses_;
  std::vector<double> returns_;
};

}  // namespace rl
