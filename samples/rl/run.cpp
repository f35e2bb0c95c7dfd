// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <iomanip>
#include <iostream>

namespace rl {
namespace {

using torch::Tensor;

constexpr int64_t capacity = 4096 * training_pendulums;
constexpr double reward_scale = 0.1;  // values near 1 suit the critics' first weights

void show_progress(const std::string& name, int64_t done, int64_t all, double mean_return) {
  constexpr int64_t width = 30;
  const int64_t filled = width * done / all;
  std::cerr << '\r' << std::setw(8) << std::left << name << '[' << std::string(static_cast<size_t>(filled), '#')
            << std::string(static_cast<size_t>(width - filled), '.') << "] episode " << done << '/' << all << "  return " << std::fixed
            << std::setprecision(1) << mean_return << (done == all ? "   \n" : "   ") << std::flush;
}

Tensor random_torques(torch::Device device) {
  return torch::empty({training_pendulums, Pendulums::action_size}, device).uniform_(-Pendulums::max_torque, Pendulums::max_torque);
}

}  // namespace

void update(const Calls& calls, int64_t index, const ReplayBuffer& memory, std::vector<Tensor>& losses) {
  losses.push_back(calls.update_critics(memory.size()));
  if (index % 2 == 1) {
    losses.push_back(calls.update_actor_and_targets(memory.size()));
  }
}

Run::Run(torch::Device device)
    : device_(device), memory_(capacity, Pendulums::observation_size, Pendulums::action_size, device), agent_(memory_, device) {}

void Run::train(const Calls& calls, const std::string& name, int64_t episodes) {
  for (int64_t episode = 1; episode <= episodes; ++episode) {
    play(calls, /*learning=*/episode > 1);
    returns_.push_back(evaluate(calls));
    show_progress(name, episode, episodes, returns_.back());
  }
}

void Run::play(const Calls& calls, bool learning) {
  Pendulums pendulums(training_pendulums, device_);
  for (int64_t time = 0; time < Pendulums::episode_length; ++time) {
    act(calls, pendulums, /*randomly=*/!learning);
    if (learning) {
      update(calls, updates_++, memory_, losses_);
    }
  }
}

void Run::act(const Calls& calls, Pendulums& pendulums, bool randomly) {
  const torch::NoGradGuard no_grad;
  const Tensor observations = pendulums.observe();
  const Tensor torques = randomly ? random_torques(device_) : calls.explore(observations);
  const Tensor rewards = pendulums.step(torques) * reward_scale;
  memory_.store({observations, torques, rewards, pendulums.observe()});
}

double Run::evaluate(const Calls& calls) const {
  const torch::NoGradGuard no_grad;
  Pendulums pendulums(evaluation_pendulums, device_);
  Tensor total = torch::zeros({evaluation_pendulums, 1}, device_);
  for (int64_t time = 0; time < Pendulums::episode_length; ++time) {
    total += pendulums.step(calls.forward(pendulums.observe()));
  }
  return total.mean().item<double>();
}

}  // namespace rl
