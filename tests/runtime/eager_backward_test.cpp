// SPDX-License-Identifier: Apache-2.0
//
// Eager backwards over captured forwards run on the capture stream, beside replays of other callables.
#include "support/device_test.h"
#include "support/streams.h"

#include <torch/autograd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace eager_backward_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(EagerBackward);

/// The gradient passes, but for the first backward's.
struct refuses_once : torch::autograd::Function<refuses_once> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, bool* refuses) {
    context->saved_data["refuses"] = reinterpret_cast<int64_t>(refuses);
    return x * 1;
  }
  static tensor_list backward(torch::autograd::AutogradContext* context, const tensor_list& gradients) {
    bool& refuses = *reinterpret_cast<bool*>(context->saved_data["refuses"].toInt());
    if (std::exchange(refuses, false)) {
      throw std::runtime_error("no backward yet");
    }
    return {gradients[0] * 1, Tensor()};
  }
};

// More pools than orders, so that the backward's is one of those that others replay in. All numbers are whole, and their sums exact.
TEST_P(EagerBackward, SharesNoWorkspaceWithReplays) {
  const int64_t length = device().is_cpu() ? 256 : 16384;
  constexpr int64_t width = 64;
  constexpr int products = 8, steps = 60;
  const scenario run(device(), true);
  const auto whole = [&](at::IntArrayRef sizes) { return at::randint(3, sizes, run.options()); };
  const Tensor a = whole({length, width}), p = whole({width, length}), q = whole({length, width}), gradient = whole({length, width});
  bool refuses = false;
  test_callable train({{"a", {length, width}}, {"b", {width, width}, at::kFloat, true}}, [&](tensor_list& in) {
    Tensor y = in[0].mm(in[1]);
    for (int i = 1; i < products; ++i) {
      y = y + in[0].mm(in[1]);
    }
    return tensor_list{refuses_once::apply(y, &refuses)};
  });
  const auto multiply = [](tensor_list& in) {
    Tensor y = in[0].mm(in[1]);
    for (int i = 1; i < products; ++i) {
      y = y + in[0].mm(in[1]);
    }
    return tensor_list{y};
  };
  const Tensor right_gradient = a.t().mm(gradient) * products, right_product = p.mm(q) * products;
  const Tensor b = whole({width, width});
  const auto step = [&] {
    const Tensor leaf = b.clone().requires_grad_();
    train({a, leaf})[0].backward(gradient);
    return leaf.grad().ne(right_gradient).any();
  };
  for (int i = 0; i < 2; ++i) {
    step();
  }
  refuses = true;  // the first backward of the capture is what it refuses to capture
  const Tensor first = step();
  std::vector<std::unique_ptr<test_callable>> others;
  for (int i = 0; i < 8; ++i) {
    const c10::AutoGradMode no_grad(false);
    others.push_back(std::make_unique<test_callable>(std::vector<argument>{{"p", {width, length}}, {"q", {length, width}}}, multiply));
    for (int call = 0; call < 4; ++call) {
      (*others.back())({p, q});
    }
  }
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  std::vector<Tensor> wrong(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    threads.emplace_back([&, i] {
      const collected_warnings quiet;
      const c10::AutoGradMode no_grad(false);
      const test_stream own(device());
      const auto current = own.make_current();
      wrong[i] = at::zeros({}, run.options(at::kLong));
      while (!is_over) {
        for (int call = 0; call < 20; ++call) {
          wrong[i] += (*others[i])({p, q})[0].ne(right_product).any();
        }
        own.synchronize();
      }
    });
  }
  Tensor wrong_gradients = at::zeros({}, run.options(at::kLong));
  for (int i = 0; i < steps; ++i) {
    wrong_gradients += step();
  }
  wrong_gradients = wrong_gradients.cpu();
  is_over = true;
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(first.item<bool>());
  EXPECT_EQ(wrong_gradients.item<int64_t>(), 0);
  for (const auto& each : wrong) {
    EXPECT_EQ(each.item<int64_t>(), 0);
  }
}

// A sum gives one number to all elements: a tensor of one element, expanded.
TEST_P(EagerBackward, LeavesAnExpandedGradientExpanded) {
  expect_same([](scenario& run) {
    bool refuses = false;
    subject f(run, {{"x", {3, 4, 5}, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{refuses_once::apply(in[0].sum(), &refuses)}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({3, 4, 5});
      const Tensor y = f({x})[0];
      refuses = run.graphed() && step == 2;
      run.see("gradient", torch::autograd::grad({y}, {x})[0]);
    }
  });
}

// Two tensors side by side in one: each gets a part of the gradient.
TEST_P(EagerBackward, LeavesAGradientTheStridesOfTheWhole) {
  expect_same([](scenario& run) {
    bool refuses = false;
    subject f(run, {{"x", {4, 3}, at::kFloat, true}, {"y", {4, 2}, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{refuses_once::apply(at::cat({in[0], in[1]}, 1), &refuses)}; });
    for (int step = 0; step < 6; ++step) {
      const tensor_list leaves{run.leaf({4, 3}), run.leaf({4, 2})};
      const tensor_list joined = f(leaves);
      refuses = run.graphed() && step == 2;
      run.see("gradients", torch::autograd::grad(joined, leaves, {run.random({4, 5})}));
    }
  });
}

}  // namespace eager_backward_test
