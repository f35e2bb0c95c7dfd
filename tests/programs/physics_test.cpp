// SPDX-License-Identifier: Apache-2.0
//
// Physics: a network that satisfies an equation, and forces of a potential in TorchScript.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/optim/adam.h>

#include <ATen/TensorIndexing.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/jit.h>

#include <cstdint>
#include <limits>

namespace physics {

using at::Tensor;

constexpr int64_t kPoints = 16, kParticles = 6;

Tensor derivative(const Tensor& of, const Tensor& by) {
  return torch::autograd::grad({of}, {by}, {torch::ones_like(of)}, /*retain_graph=*/true, /*create_graph=*/true)[0];
}

/// The heat equation u_t = u_xx as a loss (https://doi.org/10.1016/j.jcp.2018.10.045).
class Heat {
 public:
  explicit Heat(c10::Device device) { net->to(device); }

  GRAPHED(inside: f32[kPoints, 2], begin: f32[kPoints, 2], temperature: f32[kPoints, 1]; step)
  Tensor learn(const Tensor& inside, const Tensor& begin, const Tensor& temperature) {
    const Tensor x = inside.slice(1, 0, 1).detach().requires_grad_();
    const Tensor t = inside.slice(1, 1, 2).detach().requires_grad_();
    const Tensor u = net->forward(torch::cat({x, t}, 1));
    const Tensor residual = derivative(u, t) - derivative(derivative(u, x), x);
    const Tensor loss = residual.square().mean() + torch::mse_loss(net->forward(begin), temperature);
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.step();
    return loss.detach();
  }

  torch::nn::Sequential net{torch::nn::Linear(2, 16), torch::nn::Tanh(), torch::nn::Linear(16, 16), torch::nn::Tanh(),
                            torch::nn::Linear(16, 1)};

 private:
  graphed::optim::Adam optimizer_{net->parameters(), graphed::optim::AdamOptions(1e-2)};
};

constexpr auto kPotential = R"(
def forward(self, positions):
    # Springs between all pairs, and a repulsion.
    apart = positions.unsqueeze(1) - positions.unsqueeze(0)
    squared = (apart * apart).sum(2) + self.softening
    return 0.5 * (self.strength * (squared - 1).square() + 1 / squared).sum()
)";

struct Forces {
  Tensor energy, forces;
};

/// A frozen TorchScript module, as OpenMM-Torch has it: its energy, and the negative gradient of that.
class ScriptedForce {
 public:
  explicit ScriptedForce(c10::Device device) {
    torch::jit::Module model("potential");
    model.register_buffer("strength", torch::full({1}, 0.3));
    model.register_buffer("softening", torch::full({1}, 0.1));
    model.define(kPotential);
    model.to(device);
    model.eval();
    model_ = torch::jit::freeze(model);
  }

  GRAPHED(positions: f32[kParticles, 3])
  Forces compute(const Tensor& positions) {
    const at::AutoGradMode with_grad(true);
    const Tensor leaf = positions.detach().requires_grad_();
    const Tensor energy = model_.forward({leaf}).toTensor();
    return {energy.detach(), -torch::autograd::grad({energy}, {leaf})[0]};
  }

 private:
  torch::jit::Module model_;
};

struct Pairs {
  Tensor particles, apart, distances;
};

/// All pairs, as NNPOps gives them to an interatomic potential; those beyond the cutoff are marked, so that the shapes stay. As its
/// operator has them, the parameters are numbers of any type.
GRAPHED(positions: f32[kParticles, 3] grad, cutoff: key, most: key)
Pairs pairs_within(const Tensor& positions, const torch::Scalar& cutoff, const torch::Scalar& most) {
  TORCH_CHECK(cutoff.to<double>() > 0, "a cutoff is positive");
  TORCH_CHECK(most.to<int>() == -1, "the number of pairs would depend on the positions");
  using at::indexing::Slice;
  const Tensor all = torch::triu_indices(kParticles, kParticles, 1, positions.options().dtype(torch::kLong));
  Tensor apart = positions.index_select(0, all.select(0, 0)) - positions.index_select(0, all.select(0, 1));
  Tensor distances = apart.square().sum(1).sqrt();
  const Tensor far = distances > cutoff;
  Tensor particles = all.clone();
  apart = apart.clone();
  distances = distances.clone();
  particles.index_put_({Slice(), far}, -1);
  apart.index_put_({far, Slice()}, std::numeric_limits<double>::quiet_NaN());
  distances.index_put_({far}, std::numeric_limits<double>::quiet_NaN());
  return {particles, apart, distances};
}

}  // namespace physics

#include "physics_test.graphed.h"

namespace physics {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Physics);

TEST_P(Physics, AnEquationAsALoss) {
  expect_same([](scenario& run) {
    Heat model(run.device());
    program<&Heat::learn> learn(run, model);
    for (int step = 0; step < 8; ++step) {
      run.see("loss", learn(run.random({kPoints, 2}), run.random({kPoints, 2}), run.random({kPoints, 1})));
    }
    programs::see_parameters(run, *model.net);
    learn.expect(3, 5);
  });
}

TEST_P(Physics, ParticlesMoveByForcesOfAScript) {
  expect_same([](scenario& run) {
    ScriptedForce force(run.device());
    Tensor positions = run.random({kParticles, 3}), velocities = torch::zeros({kParticles, 3}, run.options());
    for (int call = 0; call < 4; ++call) {
      force.compute(positions);  // until TorchScript has optimized what it profiles
    }
    program<&ScriptedForce::compute> compute(run, force);
    constexpr double dt = 0.01;
    Forces now = compute(positions);
    for (int step = 0; step < 9; ++step) {
      velocities = velocities + 0.5 * dt * now.forces;
      positions = positions + dt * velocities;
      now = compute(positions);
      velocities = velocities + 0.5 * dt * now.forces;
      run.see("energy", now.energy + 0.5 * velocities.square().sum());
    }
    run.see("positions", positions);
    compute.expect(3, 7);
  });
}

TEST_P(Physics, PairsWithinACutoff) {
  expect_same([](scenario& run) {
    program<&pairs_within> pairs(run);
    for (int step = 0; step < 8; ++step) {
      const Tensor positions = run.leaf({kParticles, 3});
      const Pairs found = pairs(positions, 1.5, -1);
      const Tensor energy = (1 / found.distances.square()).nan_to_num().sum();
      energy.backward();
      run.see("particles", found.particles);
      run.see("apart", found.apart.nan_to_num());
      run.see("energy", energy);
      run.see("forces", -positions.grad());
    }
    pairs.expect(3, 5);
  });
}

}  // namespace physics
