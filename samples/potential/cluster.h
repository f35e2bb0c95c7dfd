// SPDX-License-Identifier: Apache-2.0
//
// Clusters of 13 atoms, how they move, and the Lennard-Jones potential that the network learns. All is in its units: the energy of a pair,
// the distance at which that is 0, and the mass of an atom.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace potential {

using torch::Tensor;

constexpr int64_t atoms = 13;
constexpr double time_step = 0.005;

/// Of one cluster, f32[atoms, 3] each, or of several, f32[n, atoms, 3].
struct State {
  Tensor positions, velocities, forces;
};

/// What a potential says of clusters: energies, f32[] or f32[n], and forces, of the positions' shape.
struct Answer {
  Tensor energies, forces;
};

/// The squares of all distances: f32[..., atoms, atoms], 0 between an atom and itself.
inline Tensor squared_distances(const Tensor& positions) { return (positions.unsqueeze(-2) - positions.unsqueeze(-3)).square().sum(-1); }

/// The forces are minus the gradient of what `energy` returns.
template <class Energy>
Answer differentiate(Energy&& energy, const Tensor& positions) {
  const torch::AutoGradMode grad(true);
  const Tensor moved = positions.detach().requires_grad_();
  const Tensor energies = energy(moved);
  return {energies.detach(), -torch::autograd::grad({energies.sum()}, {moved})[0]};
}

/// A step of velocity Verlet. Returns the total energies.
template <class Potential>
Tensor move(State& state, Potential&& potential) {
  state.velocities.add_(state.forces, time_step / 2);
  state.positions.add_(state.velocities, time_step);
  const auto [energies, forces] = potential(state.positions);
  state.forces.copy_(forces);
  state.velocities.add_(forces, time_step / 2);
  return energies + state.velocities.square().sum({-2, -1}) / 2;
}

inline Answer lennard_jones(const Tensor& positions) {
  const auto energy = [](const Tensor& moved) {
    const Tensor squares = squared_distances(moved) + torch::eye(atoms, moved.options());  // at a distance of 1 an atom adds nothing
    const Tensor sixth = squares.pow(-3);
    return 2 * (sixth * (sixth - 1)).sum({-2, -1});  // each pair is there twice
  };
  return differentiate(energy, positions);
}

/// The cluster of the least energy: one atom inside an icosahedron of twelve. f32[atoms, 3].
inline Tensor icosahedron() {
  constexpr double distance = 1.08;  // of the twelve from the one
  const double golden = (1 + std::sqrt(5.0)) / 2, scale = distance / std::sqrt(1 + golden * golden);
  std::vector<Tensor> places{torch::zeros({3})};
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-golden, golden}) {
      for (int64_t turn = 0; turn < 3; ++turn) {
        places.push_back(torch::tensor({0.0, a, b}, torch::kFloat).roll(turn) * scale);
      }
    }
  }
  return torch::stack(places);
}

/// `temperatures`: f32[n], in energies of a pair. The velocities are drawn from the default generator of their device.
inline State warm_icosahedra(const Tensor& temperatures) {
  State state;
  state.positions = icosahedron().to(temperatures.device()).repeat({temperatures.size(0), 1, 1});
  state.velocities = torch::randn_like(state.positions) * temperatures.sqrt().view({-1, 1, 1});
  state.velocities -= state.velocities.mean(-2, /*keepdim=*/true);  // the cluster as a whole stays where it is
  state.forces = lennard_jones(state.positions).forces;
  return state;
}

struct Examples {
  Tensor positions, energies, forces;  // f32[n, atoms, 3], f32[n], f32[n, atoms, 3]
};

/// What `clusters` of several temperatures come to on their way, 32 examples each.
inline Examples draw_examples(int64_t clusters, torch::Device device) {
  constexpr int examples = 32, steps_between = 15;
  State state = warm_icosahedra(torch::linspace(0.1, 0.5, clusters, device));
  std::vector<Tensor> positions;
  for (int step = 1; step <= examples * steps_between; ++step) {
    move(state, lennard_jones);
    if (step % steps_between == 0) {
      positions.push_back(state.positions.clone());
    }
  }
  const Tensor all = torch::cat(positions);
  const auto [energies, forces] = lennard_jones(all);
  return {all, energies, forces};
}

}  // namespace potential
