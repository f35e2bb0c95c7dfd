// SPDX-License-Identifier: Apache-2.0
//
// Learns to swing a pendulum up, eager and graphed: first for the time of an update, then, in a process of its own, to compare every bit.
#include <torch/torch.h>

#include "agent.graphed.h"
#include "networks.graphed.h"
#include "run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

Calls eager(Agent agent) {
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

void measure(torch::Device device) {
  torch::manual_seed(1);
  rl::ReplayBuffer memory(rl::AgentImpl::batch_size, rl::Pendulums::observation_size, rl::Pendulums::action_size, device);
  const auto random = [&](int64_t size) { return torch::randn({rl::AgentImpl::batch_size, size}, device); };
  memory.store(
      {random(rl::Pendulums::observation_size), random(rl::Pendulums::action_size), random(1), random(rl::Pendulums::observation_size)});
  const double libtorch = milliseconds(eager(Agent(memory, device, rl::Adam::libtorch)), memory, device);
  const double fused = milliseconds(eager(Agent(memory, device)), memory, device);
  Graphed agent{Agent(memory, device)};
  const double graphed = milliseconds(agent.calls(), memory, device);
  std::cout << std::fixed << std::setprecision(3) << "device " << device << "\neager, torch::optim::Adam    " << std::setw(8) << libtorch
            << " ms an update\neager, graphed::optim::Adam  " << std::setw(8) << fused << " ms an update\ngraphed                      "
            << std::setw(8) << graphed << " ms an update, " << std::setprecision(1) << libtorch / graphed
            << " times as fast as the first\n\n";
}

/// The same kernels in both runs: those that sum in an order of their own on each call are asked for in their deterministic form.
void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
}

bool report(bool good, const std::string& what) {
  std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  return good;
}

bool all_equal(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), torch::equal);
}

std::vector<Tensor> transitions(const Run& run) {
  const rl::Transitions& all = run.memory().contents();
  return {all.observations, all.actions, all.rewards, all.next_observations};
}

bool replayed(const graphed::Statistics& stats) { return 100 * stats.replays >= 95 * stats.calls; }

/// The median of the last five returns: a single one may dip while the actor still learns.
double learned(const Run& run) {
  std::vector<double> last(run.returns().end() - 5, run.returns().end());
  std::sort(last.begin(), last.end());
  return last[2];
}

/// A line for each episode: how many steps all training pendulums have made by its end, how many updates there were, and the mean returns.
void write_returns(const std::filesystem::path& path, const std::vector<double>& eager, const std::vector<double>& graphed) {
  std::ofstream file(path);
  file << std::setprecision(17) << "environment_steps,updates,eager,graphed\n";
  for (size_t episode = 0; episode < eager.size(); ++episode) {
    file << (episode + 1) * rl::Pendulums::episode_length * rl::training_pendulums << ',' << episode * rl::Pendulums::episode_length << ','
         << eager[episode] << ',' << graphed[episode] << '\n';
  }
  file.close();
  TORCH_CHECK(file, "cannot write ", path.string());
  std::cout << "the return over time: " << path.string() << '\n';
}

bool compare(torch::Device device, const std::filesystem::path& folder, int64_t episodes) {
  torch::manual_seed(1);
  Run original(device);
  original.train(eager(original.agent()), "eager", episodes);

  torch::manual_seed(1);
  Run run(device);
  Graphed graphed(run.agent());
  run.train(graphed.calls(), "graphed", episodes);

  std::cout << episodes << " episodes of " << rl::training_pendulums << " pendulums, eager and graphed, compared bit for bit\n"
            << "AgentImpl::update_critics\n"
            << graphed.update_critics.stats() << "AgentImpl::update_actor_and_targets\n"
            << graphed.update_actor_and_targets.stats();
  write_returns(folder / "rl-returns.csv", original.returns(), run.returns());
  bool good = report(all_equal(original.losses(), run.losses()), "every loss equals eager's");
  good &= report(all_equal(original.agent()->parameters(), run.agent()->parameters()), "every parameter equals eager's");
  good &= report(all_equal(transitions(original), transitions(run)), "every transition equals eager's");
  good &= report(original.returns() == run.returns(), "the return after each episode is eager's");
  good &= report(learned(run) >= -200, "the median of the last five returns is at least -200");
  good &= report(replayed(graphed.update_critics.stats()) && replayed(graphed.update_actor_and_targets.stats()),
                 "at least 95 % of the updates were replayed");
  good &= report(replayed(graphed.forward.stats()) && replayed(graphed.explore.stats()), "at least 95 % of the actions were replayed");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool comparing = argc > 1 && argv[1] == std::string("--compare");
  const char* const folder = argc > 1 + comparing ? argv[1 + comparing] : ".";
  const int64_t episodes = argc > 3 ? std::atoll(argv[3]) : 20;
  if ((argc > 2 && !comparing) || episodes < 5 || !std::filesystem::is_directory(folder)) {
    std::cerr << "usage: rl [folder], or rl --compare [folder [episodes]]: a folder that is there, 5 episodes or more\n";
    return 2;
  }
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  try {
    if (comparing) {
      ask_for_determinism();
      return compare(device, folder, episodes) ? 0 : 1;
    }
    unsetenv("CUBLAS_WORKSPACE_CONFIG");  // with it, eager's small products are slow
    measure(device);
    std::cout << std::flush;
    execl("/proc/self/exe", argv[0], "--compare", folder, nullptr);  // another process: LibTorch reads that variable once in each
    std::perror("rl");
  } catch (const std::exception& error) {
    std::cerr << "rl: " << error.what() << '\n';
  }
  return 1;
}
