// SPDX-License-Identifier: Apache-2.0
//
// Training with derivatives inside the callable: a physics-informed network, whose loss holds first and second derivatives by its argument.
#include "support/device_test.h"

#include <ATen/SequenceNumber.h>
#include <torch/autograd.h>

#include <vector>

namespace second_derivative_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(SecondDerivative);

/// Its weights are closed over.
struct network {
  explicit network(const scenario& run) {
    for (const auto& [in, out] : std::vector<std::pair<int64_t, int64_t>>{{2, 8}, {8, 8}, {8, 1}}) {
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
    const Tensor boundary = (*this)(at.detach() * 2).pow(2).mean();
    return (du.select(1, 1) - d2u.select(1, 0)).pow(2).mean() + (u - x.narrow(1, 0, 1).sin()).pow(2).mean() + boundary;
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

  std::vector<Tensor> weights, biases;
};

constexpr int steps = 1000;

enum class ahead { calling_thread, autograds_thread };

// Autograd runs first what was made last, by counts that each thread keeps; on CUDA an inner backward runs on a thread of its own.
// Gradients of gradients are summed in that order.
void put_ahead(ahead which, c10::Device device) {
  static uint64_t count = 0;
  count += 10'000'000;  // more than the training takes
  const auto reach_count = [](const Tensor& gradient) {
    while (at::sequence_number::get_and_increment() < count) {
    }
    return gradient;
  };
  if (which == ahead::calling_thread) {
    reach_count({});
    return;
  }
  const Tensor y = at::ones({}, device).requires_grad_() * 2;
  y.register_hook(reach_count);
  y.backward();
}

std::vector<ahead> orders(c10::Device device) {
  return device.is_cpu() ? std::vector{ahead::calling_thread} : std::vector{ahead::calling_thread, ahead::autograds_thread};
}

void expect_same_training(c10::Device device, ahead which) {
  put_ahead(which, device);
  expect_same(device, [](scenario& run) {
    network net(run);
    subject f(run, {{"x", {16, 2}}}, [&net](tensor_list& in) { return tensor_list{net.loss(in[0])}; });
    for (int step = 0; step < steps; ++step) {
      f({run.random({16, 2})})[0].backward();
      net.descend();
      if (step % 100 == 0) {
        net.see(run);
      }
    }
    net.see(run);
    f.expect_replays(steps - 2, steps - 2);
  });
}

void expect_same_steps(c10::Device device, ahead which) {
  put_ahead(which, device);
  expect_same(device, [](scenario& run) {
    network net(run);
    settings step;
    step.step = true;
    subject f(
        run, {{"x", {16, 2}}},
        [&net](tensor_list& in) {
          const Tensor loss = net.loss(in[0]);
          loss.backward();
          net.descend();
          return tensor_list{loss.detach()};
        },
        step);
    for (int step = 0; step < steps; ++step) {
      f({run.random({16, 2})});
      if (step % 100 == 0) {
        net.see(run);
      }
    }
    net.see(run);
    f.expect_replays(steps - 2);
  });
}

TEST_P(SecondDerivative, TrainsAsEagerDoes) {
  for (const ahead which : orders(device())) {
    expect_same_training(device(), which);
  }
}

TEST_P(SecondDerivative, TrainsInAStepAsEagerDoes) {
  for (const ahead which : orders(device())) {
    expect_same_steps(device(), which);
  }
}

}  // namespace second_derivative_test
