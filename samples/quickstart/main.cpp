// SPDX-License-Identifier: Apache-2.0
//
// Calls the graphed policy and the plain one on the same data, forward and backward, and compares every bit.
#include "policy.graphed.h"

#include <torch/cuda.h>
#include <torch/utils.h>

#include <iostream>

namespace {

constexpr int steps = 20;

struct step_result {
  torch::Tensor log_probabilities;
  torch::Tensor gradient;
};

template <class Policy>
step_result step(Policy& policy, const torch::Tensor& obs, torch::Tensor& w) {
  w.mutable_grad().reset();
  torch::Tensor y = policy(obs, w);
  (-y.select(1, 0)).mean().backward();
  return {y.detach(), w.grad()};
}

}  // namespace

int main() {
  torch::manual_seed(0);
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  torch::Tensor w = torch::randn({128, 10}, device).requires_grad_();

  graphed::callable<&app::policy> fast;
  bool equal = true;
  for (int i = 0; i < steps; ++i) {
    const torch::Tensor obs = torch::randn({64, 128}, device);
    const step_result plain = step(app::policy, obs, w);
    const step_result graphed = step(fast, obs, w);
    equal = equal && torch::equal(plain.log_probabilities, graphed.log_probabilities) && torch::equal(plain.gradient, graphed.gradient);
  }

  std::cout << "device " << device << ", " << steps << " steps forward and backward\n"
            << fast.stats() << "results and gradients " << (equal ? "equal eager's, bit for bit" : "DIFFER from eager's") << '\n'
            << "the generated code: " << QUICKSTART_GENERATED << "/policy.graphed.{h,cpp}\n";
  return equal && fast.stats().backward_replays > 0 ? 0 : 1;
}
