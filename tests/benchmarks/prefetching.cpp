// SPDX-License-Identifier: Apache-2.0
//
// `prefetching [DEVICE] [ROUNDS]`: what a step costs that is given its batches from the memory of the host, in microseconds of wall time;
// prints a line of JSON. DEVICE is cpu or cuda; by default cuda where there is one.
#include "prefetching.graphed.h"

#include <graphed/prefetch.h>

#include <ATen/ATen.h>
#include <torch/cuda.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

using at::Tensor;

BatchLearner::BatchLearner(c10::Device device)
    : net_(torch::nn::Linear(784, 512), torch::nn::ReLU(), torch::nn::Linear(512, 10)),
      optimizer_((net_->to(device), net_->parameters()), 0.1) {}

Tensor BatchLearner::learn(const Tensor& x, const Tensor& y) {
  optimizer_.zero_grad();
  const Tensor loss = torch::nn::functional::cross_entropy(net_->forward(x), y);
  loss.backward();
  optimizer_.step();
  return loss.detach();
}

Tensor BatchLearner::learn_from_host(const Tensor& x, const Tensor& y) { return learn(x, y); }

namespace {

using batch = std::pair<Tensor, Tensor>;
using clock = std::chrono::steady_clock;

struct way {
  std::string name;
  std::function<Tensor()> epoch;  ///< gives the last loss
  std::vector<double> microseconds{};
};

int run(c10::Device device, int rounds) {
  std::vector<batch> batches;
  for (int i = 0; i < (device.is_cpu() ? 4 : 64); ++i) {
    batches.emplace_back(at::randn({1024, 784}), at::randint(10, {1024}, at::kLong));
  }
  BatchLearner learner(device);
  graphed::callable<&BatchLearner::learn> on_device(learner);
  graphed::callable<&BatchLearner::learn_from_host> from_host(learner);
  const auto last_of = [&](auto&& range, const auto& step) {
    Tensor loss;
    for (auto& [x, y] : range) {
      loss = step(x, y);
    }
    return loss;
  };
  const batch there{batches[0].first.to(device), batches[0].second.to(device)};
  std::vector<way> ways{
      {"no-copies", [&] { return last_of(batches, [&](const Tensor&, const Tensor&) { return on_device(there.first, there.second); }); }},
      {"to-device",
       [&] { return last_of(batches, [&](const Tensor& x, const Tensor& y) { return on_device(x.to(device), y.to(device)); }); }},
      {"host", [&] { return last_of(batches, [&](const Tensor& x, const Tensor& y) { return from_host(x, y); }); }},
      {"prefetch",
       [&] { return last_of(graphed::prefetch(batches, device), [&](const Tensor& x, const Tensor& y) { return on_device(x, y); }); }}};
  for (int round = -2; round < rounds; ++round) {
    for (way& each : ways) {
      const auto start = clock::now();
      each.epoch().item<float>();
      const std::chrono::duration<double, std::micro> elapsed = clock::now() - start;
      if (round >= 0) {
        each.microseconds.push_back(elapsed.count() / static_cast<double>(batches.size()));
      }
    }
  }
  std::cout << "{\"workload\": \"step of 784-512-10, batch 1024 of the host\", \"microseconds\": {";
  for (std::size_t i = 0; i < ways.size(); ++i) {
    auto& samples = ways[i].microseconds;
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2), samples.end());
    std::cout << (i == 0 ? "" : ", ") << '"' << ways[i].name << "\": " << samples[samples.size() / 2];
  }
  std::cout << "}}" << std::endl;
  return 0;
}

}  // namespace
}  // namespace benchmarks

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : torch::cuda::is_available() ? "cuda" : "cpu";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  if ((name != "cpu" && name != "cuda") || rounds < 1) {
    std::cerr << "usage: prefetching [cpu|cuda] [ROUNDS]\n";
    return 2;
  }
  try {
    return benchmarks::run(name == "cpu" ? c10::Device(c10::kCPU) : c10::Device(c10::kCUDA, 0), rounds);
  } catch (const std::exception& error) {
    std::cerr << "prefetching: " << error.what() << '\n';
    return 1;
  }
}
