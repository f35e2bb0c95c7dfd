// SPDX-License-Identifier: Apache-2.0
#include "potential.graphed.h"
#include "workload.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/jit.h>

#include <memory>

namespace benchmarks {
namespace {

/// Of the distances of all pairs, seen by Gaussians and a network with a hidden layer of 64, which is summed over the particles.
constexpr auto source = R"(
def forward(self, positions):
    apart = positions.unsqueeze(1) - positions.unsqueeze(0)
    distances = torch.sqrt((apart * apart).sum(2) + self.itself)
    near = torch.exp(-distances) * (1 - self.itself)
    seen = torch.exp(-(distances.unsqueeze(2) - self.centers).square() * 4)
    features = (seen * near.unsqueeze(2)).sum(1)
    hidden = torch.tanh(torch.matmul(features, self.first) + self.bias)
    return torch.matmul(hidden, self.second).sum()
)";

constexpr int64_t gaussians = 16, hidden = 64;

}  // namespace

Potential::Potential(c10::Device device) {
  torch::jit::Module model("potential");
  model.register_buffer("itself", torch::eye(particles));
  model.register_buffer("centers", torch::linspace(0.5, 4, gaussians));
  model.register_buffer("first", torch::randn({gaussians, hidden}));
  model.register_buffer("bias", torch::randn({hidden}));
  model.register_buffer("second", torch::randn({hidden, 1}));
  model.define(source);
  model.to(device);
  model.eval();
  model_ = torch::jit::freeze(model);
  for (int call = 0; call < 5; ++call) {  // until TorchScript has optimized what it profiles
    compute(torch::randn({particles, 3}, device));
  }
}

Forces Potential::compute(const Tensor& positions) {
  const at::AutoGradMode with_grad(true);
  const Tensor leaf = positions.detach().requires_grad_();
  const Tensor energy = model_.forward({leaf}).toTensor();
  return {energy.detach(), -torch::autograd::grad({energy}, {leaf})[0]};
}

Forces Potential::compute_of_leaf(Tensor& positions) {
  const at::AutoGradMode with_grad(true);
  positions.requires_grad_();
  const Tensor energy = model_.forward({positions}).toTensor();
  energy.backward({}, /*retain_graph=*/false, /*create_graph=*/false, std::vector<Tensor>{positions});
  const Tensor forces = -positions.grad();
  positions.mutable_grad().zero_();
  return {energy.detach(), forces};
}

namespace {

workload forces(c10::Device device, optimizers) {
  const auto potential = std::make_shared<Potential>(device);
  const auto fast = std::make_shared<graphed::callable<&Potential::compute>>(potential);
  workload made{draw_batches([&] { return batch{{torch::randn({particles, 3}, device) * 2}}; }),
                {[potential](const tensor_list& in) { return potential->compute(in[0]).forces; }},
                {[potential, fast](const tensor_list& in) { return (*fast)(in[0]).forces; }},
                [fast] { return fast->stats(); },
                {}};
  made.by_hand = {[potential](const tensor_list& in) {
    Tensor positions = in[0];
    return potential->compute_of_leaf(positions).forces;
  }};
  return made;
}

}  // namespace

std::vector<entry> potential_workloads() { return {{"openmm-torch", unit::inference, /*small=*/true, /*further=*/{}, forces}}; }

}  // namespace benchmarks
