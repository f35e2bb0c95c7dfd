// SPDX-License-Identifier: Apache-2.0
//
// Compares the encoder layer with LibTorch's own, then trains a network to say sequences backwards, eager and graphed from one seed, and
// compares every loss and parameter bit for bit.
#include "encoder.graphed.h"

#include <ATen/Context.h>
#include <torch/cuda.h>
#include <torch/optim/adam.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using attention::Net;
using torch::Tensor;

constexpr uint64_t seed = 1;
constexpr int64_t warmups = 3;  // what a callable takes by default
constexpr double accuracy_wanted = 0.95;

/// The plain methods and the graphed ones have the same signatures.
struct Eager {
  explicit Eager(Net& net) : net(net) {}
  Tensor loss(const Tensor& tokens, const Tensor& wanted) { return net->loss(tokens, wanted); }
  Tensor forward(const Tensor& tokens) { return net->forward(tokens); }
  Net& net;
};

struct Graphed {
  explicit Graphed(Net& net) : loss(net), forward(net) {}
  graphed::callable<&attention::NetImpl::loss> loss;
  graphed::callable<&attention::NetImpl::forward> forward;
};

struct Run {
  Net net;
  std::vector<Tensor> losses;
  double accuracy = 0;
  double seconds = 0;
};

/// The same kernels in both runs: those that sum in an order of their own on each call are asked for in their deterministic form.
void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  at::globalContext().setBenchmarkCuDNN(false);
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

/// The result for a random source and mask, then the gradients of the source and of all parameters.
template <class Layer>
std::vector<Tensor> results_of(Layer& layer, torch::Device device) {
  torch::manual_seed(seed);
  const Tensor source = torch::randn({9, 5, 16}, device).set_requires_grad(true);
  const Tensor mask = torch::full({9, 9}, -1e9, torch::TensorOptions(device)).triu(1);
  std::vector<Tensor> all{layer->forward(source, mask)};
  all[0].backward(torch::randn_like(all[0]));
  all.push_back(source.grad());
  for (const Tensor& parameter : layer->parameters()) {
    all.push_back(parameter.grad());
    parameter.mutable_grad() = Tensor();
  }
  return all;
}

/// Whether a layer that loads what LibTorch's saved gives the same results, in train mode, with its dropout, and in eval mode.
bool equals_libtorch(torch::Device device) {
  torch::nn::TransformerEncoderLayer theirs(torch::nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(32).dropout(0.2));
  attention::EncoderLayer ours(16, 4, 32, 0.2);
  theirs->to(device);
  ours->to(device);
  std::stringstream state;
  torch::save(theirs, state);
  torch::load(ours, state, device);
  bool equal = all_equal(results_of(theirs, device), results_of(ours, device));
  theirs->eval();
  ours->eval();
  equal &= all_equal(results_of(theirs, device), results_of(ours, device));
  return equal;
}

Tensor random_tokens(int64_t sequences, torch::Device device) {
  return torch::randint(attention::vocabulary, {sequences, attention::length}, torch::kLong).to(device);
}

template <class Calls>
void train(Calls& calls, Run& run, int steps, torch::Device device) {
  torch::optim::Adam optimizer(run.net->parameters(), torch::optim::AdamOptions(2e-3));
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) {
    const Tensor tokens = random_tokens(attention::batch_size, device);
    optimizer.zero_grad();
    Tensor loss = calls.loss(tokens, tokens.flip(1));
    loss.backward();
    optimizer.step();
    run.losses.push_back(loss.detach());
  }
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Calls>
void evaluate(Calls& calls, Run& run, torch::Device device) {
  run.net->eval();
  const torch::NoGradGuard no_grad;
  const Tensor tokens = random_tokens(attention::held_out_sequences, device);
  for (int64_t call = 0; call <= warmups; ++call) {  // the last one is a replay
    const Tensor right = calls.forward(tokens).argmax(1).eq(tokens.flip(1).flatten());
    run.accuracy = right.to(torch::kDouble).mean().template item<double>();
  }
}

Run make_run(torch::Device device) {
  torch::manual_seed(seed);
  Run run;
  run.net->to(device);
  return run;
}

int compare(const Run& eager, const Run& graphed, const graphed::statistics& loss, const graphed::statistics& forward) {
  const auto milliseconds = [](const Run& run) { return 1e3 * run.seconds / static_cast<double>(run.losses.size()); };
  const uint64_t replays = graphed.losses.size() - warmups;
  std::cout << std::fixed << std::setprecision(3) << "\nNetImpl::loss\n"
            << loss << "\nmilliseconds a step: eager " << milliseconds(eager) << ", graphed " << milliseconds(graphed)
            << "\naccuracy on held-out sequences " << std::setprecision(2) << 100 * graphed.accuracy << " %\n\n";
  bool good = report(all_equal(eager.losses, graphed.losses), "every loss equals eager's, bit for bit");
  good &= report(all_equal(eager.net->parameters(), graphed.net->parameters()), "every parameter equals eager's, bit for bit");
  good &= report(eager.accuracy == graphed.accuracy, "the accuracy is eager's");
  good &= report(graphed.accuracy >= accuracy_wanted, "the accuracy on held-out sequences is at least 95 %");
  good &= report(loss.replays == replays && loss.backward_replays == replays && forward.replays == 1,
                 "every call after the warm-ups was a replay, forward and backward");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 300;
  if (steps <= warmups) {
    std::cerr << "usage: attention [steps]\n";
    return 2;
  }
  ask_for_determinism();
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  std::cout << "device " << device << ", " << steps << " steps\n";
  try {
    const bool same_layer = report(equals_libtorch(device), "the layer equals torch::nn::TransformerEncoderLayer, bit for bit");
    Run eager = make_run(device);
    Eager plain(eager.net);
    train(plain, eager, steps, device);
    evaluate(plain, eager, device);
    Run replayed = make_run(device);
    Graphed graphed(replayed.net);
    train(graphed, replayed, steps, device);
    evaluate(graphed, replayed, device);
    const int code = compare(eager, replayed, graphed.loss.stats(), graphed.forward.stats());
    return same_layer ? code : 1;
  } catch (const std::exception& error) {
    std::cerr << "attention: " << error.what() << '\n';
    return 1;
  }
}
