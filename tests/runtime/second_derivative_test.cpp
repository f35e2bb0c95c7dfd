// SPDX-License-Identifier: Apache-2.0
//
// Training with derivatives inside the callable: a physics-informed network, whose loss holds first and second derivatives by its argument.
#include "support/device_test.h"

#include <torch/autograd.h>

#include <functional>
#include <vector>

namespace second_derivative_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(SecondDerivative);

/// Its weights are closed over.
struct network {
  network(const scenario& run, int boundaries) : boundaries(boundaries) {
    for (const auto& [in, out] : std::vector<std::pair<int64_t, int64_t>>{{2, 32}, {32, 32}, {32, 32}, {32, 1}}) {
      weights.push_back((run.random({out, in}) / 4).requires_grad_());
      biases.push_back((run.random({out}) / 4).requires_grad_());
    }
  }

  Tensor operator()(const Tensor& x) const {
    Tensor u = x;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      u = at::linear(u, weights[i], biases[i]);
      u = i + 1 < weights.size() ? u.tanh() : u;
    }
    return u;
  }

  /// Of the heat equation.
  Tensor loss(const Tensor& at) const {
    const Tensor x = at.requires_grad() ? at : at.detach().requires_grad_();
    const Tensor u = (*this)(x);
    const Tensor du = torch::autograd::grad({u.sum()}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    const Tensor d2u = torch::autograd::grad({du.select(1, 0).sum()}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    Tensor loss = (du.select(1, 1) - d2u.select(1, 0)).pow(2).mean() + (u - x.narrow(1, 0, 1).sin()).pow(2).mean();
    for (int i = 0; i < boundaries; ++i) {
      loss = loss + (*this)(at.detach() * i).pow(2).mean();
    }
    return loss;
  }

  void descend() {
    const c10::AutoGradMode no_grad(false);
    for (auto* const group : {&weights, &biases}) {
      for (auto& parameter : *group) {
        parameter.sub_(parameter.grad(), 0.01);
        parameter.mutable_grad() = Tensor();
      }
    }
  }
  void see(scenario& run) const {
    run.see("weights", weights);
    run.see("biases", biases);
  }

  const int boundaries;  ///< with them, the calling thread makes more nodes than an inner backward
  std::vector<Tensor> weights, biases;
};

constexpr int steps = 80, many = 16;

// On CUDA an inner backward runs on a thread of its own, which counts the nodes that it makes: eager's order of sums depends on how far it
// has come beside the calling thread, until one of them is always ahead.
void expect_same_from_then_on(c10::Device device, const std::function<void(scenario&)>& program) {
  observe(device, /*graphed=*/false, program);
  expect_same(device, program);
}

void expect_same_training(c10::Device device, int boundaries) {
  expect_same_from_then_on(device, [boundaries](scenario& run) {
    network net(run, boundaries);
    subject f(run, {{"x", {64, 2}}}, [&net](tensor_list& in) { return tensor_list{net.loss(in[0])}; });
    for (int step = 0; step < steps; ++step) {
      f({run.random({64, 2})})[0].backward();
      net.descend();
      if (step % 20 == 0) {
        net.see(run);
      }
    }
    net.see(run);
    f.expect_replays(steps - 2, steps - 2);
  });
}

void expect_same_steps(c10::Device device, int boundaries) {
  expect_same_from_then_on(device, [boundaries](scenario& run) {
    network net(run, boundaries);
    settings step;
    step.step = true;
    subject f(
        run, {{"x", {64, 2}}},
        [&net](tensor_list& in) {
          const Tensor loss = net.loss(in[0]);
          loss.backward();
          net.descend();
          return tensor_list{loss.detach()};
        },
        step);
    for (int step = 0; step < steps; ++step) {
      f({run.random({64, 2})});
      if (step % 20 == 0) {
        net.see(run);
      }
    }
    net.see(run);
    f.expect_replays(steps - 2);
  });
}

TEST_P(SecondDerivative, TrainsAsEagerDoes) { expect_same_training(device(), 0); }
TEST_P(SecondDerivative, TrainsInAStepAsEagerDoes) { expect_same_steps(device(), 0); }
TEST_P(SecondDerivative, TrainsWithBoundariesAsEagerDoes) { expect_same_training(device(), many); }
TEST_P(SecondDerivative, TrainsWithBoundariesInAStepAsEagerDoes) { expect_same_steps(device(), many); }

}  // namespace second_derivative_test
