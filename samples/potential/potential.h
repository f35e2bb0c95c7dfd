// SPDX-License-Identifier: Apache-2.0
//
// A neural potential: the energy of a cluster by the distances of its atoms, its training, and the motion that it gives.
#pragma once

#include <torch/torch.h>

#include "cluster.h"

#include <graphed/annotate.h>
#include <graphed/optim/adam.h>

#include <cstdint>

namespace potential {

namespace nn = torch::nn;

constexpr int64_t batch_size = 32;

/// Each atom has an energy, by a network that sees how many others are at which distances. So moving, turning or renumbering the cluster
/// changes nothing.
class NetworkImpl : public nn::Module {
 public:
  explicit NetworkImpl(torch::Device device) {
    register_module("layers", layers_);
    itself_ = register_buffer("itself", 1e4 * torch::eye(atoms));
    distances_ = register_buffer("distances", torch::linspace(nearest, farthest, functions));
    mean_ = register_buffer("mean", torch::zeros({}));
    to(device);
  }

  /// The energy from which the training begins, of a cluster.
  void set_mean(const Tensor& mean) { mean_.copy_(mean); }

  /// positions: f32[..., atoms, 3]. Returns f32[...].
  Tensor energies(const Tensor& positions) {
    constexpr double width = (farthest - nearest) / (functions - 1);
    const Tensor distances = (squared_distances(positions) + itself_).sqrt();  // an atom is far from itself
    const Tensor near = torch::exp(-((distances.unsqueeze(-1) - distances_) / width).square());
    return layers_->forward(near.sum(-2)).sum({-2, -1}) + mean_;
  }

  /// A step of molecular dynamics: the energies and their gradient, and the motion. Returns the total energy, f32[].
  GRAPHED(state: {positions: f32[atoms, 3] inplace, velocities: f32[atoms, 3] inplace, forces: f32[atoms, 3] inplace})
  Tensor move(State& state) {
    return potential::move(state, [this](const Tensor& positions) { return answer(positions); });
  }

  Answer answer(const Tensor& positions) {
    return differentiate([this](const Tensor& moved) { return energies(moved); }, positions);
  }

 private:
  static constexpr double nearest = 0.8, farthest = 3.2;
  static constexpr int64_t functions = 17, hidden = 32;

  nn::Sequential layers_{nn::Linear(functions, hidden), nn::Tanh(), nn::Linear(hidden, hidden), nn::Tanh(), nn::Linear(hidden, 1)};
  Tensor itself_, distances_, mean_;
};
TORCH_MODULE(Network);

struct Trainer {
  explicit Trainer(torch::Device device) : network(device), optimizer(network->parameters(), graphed::optim::AdamOptions(5e-3)) {}

  /// A step of the training. The forces are a gradient, and the loss of them has a gradient of its own. Returns the loss, f32[].
  GRAPHED(positions: f32[batch_size, atoms, 3], energies: f32[batch_size], forces: f32[batch_size, atoms, 3]; step)
  Tensor learn(const Tensor& positions, const Tensor& energies, const Tensor& forces) {
    const Tensor moved = positions.detach().requires_grad_();
    const Tensor found = network->energies(moved);
    const Tensor gradient = torch::autograd::grad({found.sum()}, {moved}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    const Tensor loss = torch::mse_loss(found / atoms, energies / atoms) + torch::mse_loss(-gradient, forces);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss.detach();
  }

  Network network;
  graphed::optim::Adam optimizer;
};

}  // namespace potential
