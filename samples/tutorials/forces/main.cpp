// SPDX-License-Identifier: Apache-2.0
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>
#include <utility>

struct Potential : torch::nn::Module {
  // A small network on the distances between all pairs of atoms: it stands for yours.
  torch::Tensor energy(const torch::Tensor& positions) {
    const torch::Tensor between = positions.unsqueeze(0) - positions.unsqueeze(1);
    const torch::Tensor distances = (between.square().sum(-1) + 0.1).sqrt().unsqueeze(-1);
    return net->forward(distances).sum();
  }

  // The energy, and the forces: minus its gradient.
  GRAPHED(positions: f32[24, 3])
  std::pair<torch::Tensor, torch::Tensor> forces(const torch::Tensor& positions) {
    const torch::AutoGradMode grad(true);
    const torch::Tensor moved = positions.detach().requires_grad_();
    const torch::Tensor value = energy(moved);
    return {value.detach(), -torch::autograd::grad({value}, {moved})[0]};
  }

  torch::nn::Sequential net =
      register_module("net", torch::nn::Sequential(torch::nn::Linear(1, 32), torch::nn::SiLU(), torch::nn::Linear(32, 1)));
};

#include "main.graphed.h"  // graphgen writes it, from this file

/// 200 steps of velocity Verlet with unit masses: the last energy and positions.
template <class Forces>
std::pair<torch::Tensor, torch::Tensor> simulate(Forces&& forces, torch::Tensor positions) {
  constexpr double dt = 0.002;
  torch::Tensor velocities = torch::zeros_like(positions);
  auto [energy, force] = forces(positions);
  for (int step = 0; step < 200; ++step) {
    velocities = velocities + 0.5 * dt * force;
    positions = positions + dt * velocities;
    std::tie(energy, force) = forces(positions);
    velocities = velocities + 0.5 * dt * force;
  }
  return {energy, positions};
}

int main() {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  const torch::NoGradGuard no_grad;
  torch::manual_seed(0);
  Potential potential;
  potential.to(device);
  const torch::Tensor start = torch::randn({24, 3}, device);

  const auto [expected_energy, expected] = simulate([&](const torch::Tensor& x) { return potential.forces(x); }, start);
  graphed::callable<&Potential::forces> forces(potential);
  const auto [energy, positions] = simulate(forces, start);

  std::cout << "energy after 200 steps: " << energy.item<float>() << '\n'
            << "the same bits as eager: " << (torch::equal(positions, expected) ? "yes" : "no") << '\n'
            << forces.stats();
}
