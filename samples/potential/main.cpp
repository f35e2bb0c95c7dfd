// SPDX-License-Identifier: Apache-2.0
//
// Learns the energies and forces of a cluster and lets it move by them, eager and graphed. The first run takes the times of a step. Another
// one, in a process of its own, compares every bit.
#include <torch/torch.h>

#include "potential.graphed.h"

#include <graphed/backward_here.h>

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

using potential::Examples;
using potential::State;
using potential::Trainer;
using torch::Tensor;

/// The methods of a trainer and its network, or their graphed forms.
struct Calls {
  std::function<Tensor(const Tensor& positions, const Tensor& energies, const Tensor& forces)> learn;
  std::function<Tensor(State& state)> move;
};

Calls eager(Trainer& trainer) {
  return {[&](const Tensor& positions, const Tensor& energies, const Tensor& forces) { return trainer.learn(positions, energies, forces); },
          [&](State& state) { return trainer.network->move(state); }};
}

struct Graphed {
  explicit Graphed(Trainer& trainer) : learn(trainer), move(trainer.network) {}
  Calls calls() { return {std::ref(learn), std::ref(move)}; }

  graphed::callable<&Trainer::learn> learn;
  graphed::callable<&potential::NetworkImpl::move> move;
};

/// A cluster that starts cold enough to stay together.
State start(const Trainer& trainer, torch::Device device) {
  State warm = potential::warm_icosahedra(torch::full({1}, 0.2, device));
  State state{warm.positions[0], warm.velocities[0], {}};
  state.forces = potential::Network(trainer.network)->answer(state.positions).forces;
  return state;
}

/// Milliseconds of a call.
double milliseconds(const std::function<void()>& call, torch::Device device) {
  constexpr int warmups = 10, calls = 100;
  const auto make = [&](int count) {
    for (int i = 0; i < count; ++i) {
      call();
    }
    if (device.is_cuda()) {
      torch::cuda::synchronize();
    }
  };
  make(warmups);
  const auto begin = std::chrono::steady_clock::now();
  make(calls);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / calls;
}

struct Times {
  double learn, move;
};

Times times_of(const Calls& calls, const Trainer& trainer, torch::Device device) {
  const Tensor positions = torch::randn({potential::batch_size, potential::atoms, 3}, device);
  const Tensor energies = torch::randn({potential::batch_size}, device), forces = torch::randn_like(positions);
  const double learn = milliseconds([&] { calls.learn(positions, energies, forces); }, device);
  const torch::NoGradGuard no_grad;
  State state = start(trainer, device);
  return {learn, milliseconds([&] { calls.move(state); }, device)};
}

void print_times(const std::string& what, double eager, double graphed) {
  std::cout << std::fixed << what << std::setprecision(3) << "  eager " << std::setw(8) << eager << " ms, graphed " << std::setw(8)
            << graphed << " ms: " << std::setprecision(1) << eager / graphed << " times as fast\n";
}

void measure(torch::Device device) {
  torch::manual_seed(1);
  Trainer original(device), trainer(device);
  Graphed graphed(trainer);
  const Times before = times_of(eager(original), original, device), after = times_of(graphed.calls(), trainer, device);
  std::cout << "device " << device << '\n';
  print_times("a step of the training ", before.learn, after.learn);
  print_times("a step of the motion   ", before.move, after.move);
  std::cout << '\n';
}

struct Run {
  std::vector<Tensor> losses;
  Tensor force_error;            // the root of the mean square over what was not learned from, f32[]
  std::vector<double> energies;  // of the cluster that moves
  State end;
};

constexpr int epochs = 12, steps_between = 20;  // between two energies that are kept

void train(const Calls& calls, const Examples& examples, Run& run) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const Tensor order = torch::randperm(examples.energies.size(0)).to(examples.energies.device());
    const auto positions = examples.positions.index_select(0, order).split(potential::batch_size);
    const auto energies = examples.energies.index_select(0, order).split(potential::batch_size);
    const auto forces = examples.forces.index_select(0, order).split(potential::batch_size);
    for (size_t i = 0; i < positions.size(); ++i) {
      run.losses.push_back(calls.learn(positions[i], energies[i], forces[i]));
    }
  }
}

void simulate(const Calls& calls, State state, int steps, Run& run) {
  const torch::NoGradGuard no_grad;
  for (int step = 0; step < steps; ++step) {
    const Tensor energy = calls.move(state);
    if (step % steps_between == 0) {
      run.energies.push_back(energy.item<double>());
    }
  }
  run.end = state;
}

Run learn_and_move(Trainer& trainer, const Calls& calls, const Examples& examples, const Examples& held_out, int steps) {
  torch::manual_seed(2);
  Run run;
  trainer.network->set_mean(examples.energies.mean());
  train(calls, examples, run);
  run.force_error = (trainer.network->answer(held_out.positions).forces - held_out.forces).square().mean().sqrt();
  simulate(calls, start(trainer, examples.energies.device()), steps, run);
  return run;
}

/// Between the largest and the least total energy, for each atom.
double drift(const Run& run) {
  const auto [least, most] = std::minmax_element(run.energies.begin(), run.energies.end());
  return (*most - *least) / potential::atoms;
}

void write_energies(const std::filesystem::path& path, const Run& eager, const Run& graphed) {
  std::ofstream file(path);
  file << std::setprecision(9) << "time,eager,graphed\n";
  for (size_t i = 0; i < eager.energies.size(); ++i) {
    file << i * steps_between * potential::time_step << ',' << eager.energies[i] << ',' << graphed.energies[i] << '\n';
  }
  file.close();
  TORCH_CHECK(file, "cannot write ", path.string());
  std::cout << "the energy over time: " << path.string() << '\n';
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

std::vector<Tensor> tensors_of(const State& state) { return {state.positions, state.velocities, state.forces}; }

bool replayed(const graphed::Statistics& stats) { return 100 * stats.replays >= 95 * stats.calls; }

bool compare(torch::Device device, const std::filesystem::path& folder, int steps) {
  const graphed::BackwardHereGuard here;  // gradients of gradients are summed in the order of one thread
  torch::manual_seed(1);
  const Examples examples = potential::draw_examples(32, device), held_out = potential::draw_examples(8, device);
  torch::manual_seed(1);
  Trainer original(device);
  const Run eager = learn_and_move(original, ::eager(original), examples, held_out, steps);
  torch::manual_seed(1);
  Trainer trainer(device);
  Graphed graphed(trainer);
  const Run run = learn_and_move(trainer, graphed.calls(), examples, held_out, steps);

  const double size = held_out.forces.square().mean().sqrt().item<double>(), error = run.force_error.item<double>();
  std::cout << run.losses.size() << " steps of the training and " << steps << " of the motion, eager and graphed, compared bit for bit\n"
            << "Trainer::learn\n"
            << graphed.learn.stats() << "NetworkImpl::move\n"
            << graphed.move.stats() << "forces are wrong by " << std::setprecision(3) << error << ", of " << size
            << "; the energy of an atom drifts by " << drift(run) << '\n';
  write_energies(folder / "potential-energy.csv", eager, run);
  bool good = report(all_equal(eager.losses, run.losses), "every loss equals eager's");
  good &= report(all_equal(original.network->parameters(), trainer.network->parameters()), "every parameter equals eager's");
  good &= report(all_equal(tensors_of(eager.end), tensors_of(run.end)), "the cluster ends where eager's does");
  good &= report(eager.energies == run.energies, "every energy on its way is eager's");
  good &= report(error <= 0.1 * size, "the forces are right to a tenth");
  good &= report(drift(run) <= 0.01, "the energy of an atom drifts by a hundredth at most");
  good &= report(replayed(graphed.learn.stats()) && replayed(graphed.move.stats()), "at least 95 % of both steps were replayed");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool comparing = argc > 1 && argv[1] == std::string("--compare");
  const char* const folder = argc > 1 + comparing ? argv[1 + comparing] : ".";
  const int steps = argc > 3 ? std::atoi(argv[3]) : 2000;
  if ((argc > 2 && !comparing) || steps < 100 || !std::filesystem::is_directory(folder)) {
    std::cerr << "usage: potential [folder], or potential --compare [folder [steps]]: a folder that is there, 100 steps or more\n";
    return 2;
  }
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  try {
    if (comparing) {
      ask_for_determinism();
      return compare(device, folder, steps) ? 0 : 1;
    }
    unsetenv("CUBLAS_WORKSPACE_CONFIG");  // with it, eager's small products are slow
    measure(device);
    std::cout << std::flush;
    execl("/proc/self/exe", argv[0], "--compare", folder, nullptr);  // another process: LibTorch reads that variable once in each
    std::perror("potential");
  } catch (const std::exception& error) {
    std::cerr << "potential: " << error.what() << '\n';
  }
  return 1;
}
