// SPDX-License-Identifier: Apache-2.0
//
// Learns to swing a pendulum up twice from one seed, eager and graphed, and compares every loss, parameter and return bit for bit.
#include "agent.graphed.h"
#include "networks.graphed.h"
#include "plot.h"
#include "run.h"

#include <ATen/Context.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace {

using rl::Agent;
using rl::Calls;
using rl::Run;
using torch::Tensor;

constexpr uint64_t seed = 1;
constexpr double return_wanted = -200;
constexpr int64_t last_returns = 5;
constexpr double replayed_wanted = 0.95;

Calls plain(Agent agent) {
  rl::Actor actor = agent->actor();
  return {[actor](const Tensor& observations) mutable { return actor->forward(observations); },
          [actor](const Tensor& observations) mutable { return actor->explore(observations); },
          [agent](const graphed::Scalar& stored) mutable { return agent->update_critics(stored); },
          [agent](const graphed::Scalar& stored) mutable { return agent->update_actor_and_targets(stored); }};
}

struct Graphed {
  explicit Graphed(const Agent& agent)
      : forward(agent->actor()), explore(agent->actor()), update_critics(agent), update_actor_and_targets(agent) {}
  Calls calls() { return {std::ref(forward), std::ref(explore), std::ref(update_critics), std::ref(update_actor_and_targets)}; }

  graphed::callable<&rl::ActorImpl::forward> forward;
  graphed::callable<&rl::ActorImpl::explore> explore;
  graphed::callable<&rl::AgentImpl::update_critics> update_critics;
  graphed::callable<&rl::AgentImpl::update_actor_and_targets> update_actor_and_targets;
};

/// The same kernels in both runs: those that sum in an order of their own on each call are asked for in their deterministic form.
void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
}

/// Milliseconds of an update, the mean of those with and without the actor.
double milliseconds(const Calls& calls, const rl::ReplayBuffer& memory, torch::Device device) {
  constexpr int64_t warmups = 10, updates = 200;
  const auto make = [&](int64_t count) {
    std::vector<Tensor> losses;
    for (int64_t index = 0; index < count; ++index) {
      rl::update(calls, index, memory, losses);
      losses.clear();
    }
    if (device.is_cuda()) {
      torch::cuda::synchronize();
    }
  };
  make(warmups);
  const auto start = std::chrono::steady_clock::now();
  make(updates);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / updates;
}

void show_speed(const rl::ReplayBuffer& memory, torch::Device device) {
  const double libtorch = milliseconds(plain(Agent(memory, device, rl::Adam::libtorch)), memory, device);
  const double fused = milliseconds(plain(Agent(memory, device)), memory, device);
  Graphed graphed{Agent(memory, device)};
  const double replayed = milliseconds(graphed.calls(), memory, device);
  std::cout << std::fixed << std::setprecision(3) << "\nmilliseconds of an update\n"
            << "  eager, torch::optim::Adam    " << std::setw(8) << libtorch << "\n  eager, graphed::optim::Adam  " << std::setw(8) << fused
            << "\n  graphed                      " << std::setw(8) << replayed << std::setprecision(1) << "  " << libtorch / replayed
            << " and " << fused / replayed << " times as fast\n\n";
}

bool report(bool good, const std::string& what) {
  std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  return good;
}

bool all_equal(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  if (left.size() != right.size()) {
    return false;
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (!torch::equal(left[i], right[i])) {
      return false;
    }
  }
  return true;
}

std::vector<Tensor> transitions(const Run& run) {
  const rl::Transitions& all = run.memory().contents();
  return {all.observations, all.actions, all.rewards, all.next_observations};
}

bool replayed(const graphed::statistics& stats) {
  return static_cast<double>(stats.replays) >= replayed_wanted * static_cast<double>(stats.calls);
}

/// The median of the last returns: a single one may dip while the actor still learns.
double learned(const Run& run) {
  std::vector<double> last(run.returns().end() - last_returns, run.returns().end());
  std::nth_element(last.begin(), last.begin() + last_returns / 2, last.end());
  return last[last_returns / 2];
}

bool compare(const Run& eager, const Run& run, Graphed& graphed) {
  bool good = report(all_equal(eager.losses(), run.losses()), "every loss equals eager's, bit for bit");
  good &= report(all_equal(eager.agent()->parameters(), run.agent()->parameters()), "every parameter equals eager's, bit for bit");
  good &= report(all_equal(transitions(eager), transitions(run)), "every transition equals eager's, bit for bit");
  good &= report(eager.returns() == run.returns(), "the return after each episode is eager's");
  good &= report(learned(run) >= return_wanted, "the median of the last five returns is at least -200");
  good &= report(replayed(graphed.update_critics.stats()) && replayed(graphed.update_actor_and_targets.stats()),
                 "at least 95 % of the updates were replayed");
  good &= report(replayed(graphed.forward.stats()) && replayed(graphed.explore.stats()), "at least 95 % of the actions were replayed");
  return good;
}

/// Where an episode ends, all training pendulums have made `episode_length` steps.
void write_returns(const std::filesystem::path& folder, const Run& eager, const Run& graphed) {
  std::vector<rl::Point> points;
  for (size_t i = 0; i < eager.returns().size(); ++i) {
    const auto episode = static_cast<int64_t>(i);
    points.push_back({(episode + 1) * rl::Pendulums::episode_length * rl::training_pendulums, episode * rl::Pendulums::episode_length,
                      eager.returns()[i], graphed.returns()[i]});
  }
  rl::write_csv(folder / "rl-returns.csv", points);
  rl::write_svg(folder / "rl-returns.svg", points, return_wanted);
  std::cout << "the return over time: " << (folder / "rl-returns.csv").string() << ", " << (folder / "rl-returns.svg").string() << "\n\n";
}

int run(const std::filesystem::path& folder, int64_t episodes) {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  std::cout << "device " << device << ", " << episodes << " episodes of " << rl::training_pendulums << " pendulums\n";
  torch::manual_seed(seed);
  Run eager(device);
  eager.train(plain(eager.agent()), "eager", episodes);
  torch::manual_seed(seed);
  Run replayed(device);
  Graphed graphed(replayed.agent());
  replayed.train(graphed.calls(), "graphed", episodes);
  std::cout << "\nAgentImpl::update_critics\n"
            << graphed.update_critics.stats() << "\nAgentImpl::update_actor_and_targets\n"
            << graphed.update_actor_and_targets.stats();
  show_speed(eager.memory(), device);
  write_returns(folder, eager, replayed);
  return compare(eager, replayed, graphed) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  const int64_t episodes = argc > 2 ? std::atoll(argv[2]) : 24;
  if (episodes < last_returns || !std::filesystem::is_directory(folder)) {
    std::cerr << "usage: rl [folder [episodes]], a folder that is there, 5 episodes or more\n";
    return 2;
  }
  ask_for_determinism();
  try {
    return run(folder, episodes);
  } catch (const std::exception& error) {
    std::cerr << "rl: " << error.what() << '\n';
    return 1;
  }
}
