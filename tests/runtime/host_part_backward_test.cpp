// SPDX-License-Identifier: Apache-2.0
//
// graphed::host in the backward of a custom function.
#include "support/device_test.h"
#include "support/warnings.h"

#include <graphed/host.h>

#include <torch/autograd.h>

#include <cstdlib>
#include <stdexcept>

namespace host_part_backward_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostPartInABackward);

constexpr int calls = 8;

TEST_P(HostPartInABackward, WritesIntoATensor) {
  struct doubled : torch::autograd::Function<doubled> {
    static Tensor forward(torch::autograd::AutogradContext* /*context*/, const Tensor& x) { return x * 2; }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                   torch::autograd::variable_list gradients) {
      const Tensor room = at::empty_like(gradients[0]);
      host([room, gradient = gradients[0]] { room.copy_(gradient.cpu() * 2); });
      return {room * 1};
    }
  };
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}, at::kFloat, /*grad=*/true}},
                     [](tensor_list& in) { return tensor_list{doubled::apply(in[0]).sin()}; });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.leaf({2});
      callable({x})[0].sum().backward();
      run.see_grad("x", x);
    }
    callable.expect_replays(calls - 2, calls - 2);
  });
}

// A capture that executes nothing learns of the result from one eager backward.
TEST_P(HostPartInABackward, ReturnsTensorsAndNumbers) {
  struct tripled : torch::autograd::Function<tripled> {
    static Tensor forward(torch::autograd::AutogradContext* /*context*/, const Tensor& x) { return x * 3; }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                   torch::autograd::variable_list gradients) {
      const Tensor norm = host([gradient = gradients[0]] { return gradient.cpu().norm().reshape({1}).to(gradient.device()); });
      const Scalar factor = host([norm] { return norm.item<double>() > 1 ? 2.0 : 3.0; });
      return {gradients[0] * norm * factor.like(norm)};
    }
  };
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}, at::kFloat, /*grad=*/true}},
                     [](tensor_list& in) { return tensor_list{tripled::apply(in[0]).sin()}; });
    for (int call = 0; call < 2 * calls; ++call) {
      const Tensor x = run.leaf({2});
      callable({x})[0].sum().backward();
      run.see_grad("x", x);
    }
    callable.expect_replays(2 * calls - 2, 2 * calls - (run.options().device().is_cpu() ? 2 : 3));
  });
}

int counted_runs = 0;

struct counted : torch::autograd::Function<counted> {
  static Tensor forward(torch::autograd::AutogradContext* /*context*/, const Tensor& x) { return x * 4; }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/, torch::autograd::variable_list gradients) {
    host([] {
      if (++counted_runs == 3) {
        throw std::runtime_error("no token");
      }
    });
    return {gradients[0] * 4};
  }
};

// It throws once, in the backward that is captured, which runs it on a CPU.
TEST_P(HostPartInABackward, WhatItThrowsInTheCapturedBackwardEndsThat) {
  if (std::getenv("GRAPHED_VERIFY") != nullptr) {
    GTEST_SKIP() << "GRAPHED_VERIFY runs it more often";
  }
  expect_same([](scenario& run) {
    counted_runs = 0;
    subject callable(run, {{"x", {2}, at::kFloat, /*grad=*/true}},
                     [](tensor_list& in) { return tensor_list{counted::apply(in[0]).sin()}; });
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.leaf({2});
      const Tensor y = callable({x})[0];
      EXPECT_EQ(call == 2, run.see_error("backward", [&] { y.sum().backward(); }));
      run.see_grad("x", x);
      run.see("runs", counted_runs);
    }
    if (run.graphed()) {
      EXPECT_GE(callable.stats().backward_replays, static_cast<uint64_t>(calls - 3)) << callable.explain();
    }
  });
}

// Other graphs of the pool may replay while one runs.
TEST_P(HostPartInABackward, OneInASharedPoolIsEager) {
  struct halved : torch::autograd::Function<halved> {
    static Tensor forward(torch::autograd::AutogradContext* /*context*/, const Tensor& x) { return x / 2; }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                   torch::autograd::variable_list gradients) {
      const Tensor room = at::empty_like(gradients[0]);
      host([room, gradient = gradients[0]] { room.copy_(gradient.cpu() / 2); });
      return {room * 1};
    }
  };
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    settings shared;
    shared.pool = "host_part_backward_test";
    subject callable(
        run, {{"x", {2}, at::kFloat, /*grad=*/true}}, [](tensor_list& in) { return tensor_list{halved::apply(in[0]).sin()}; }, shared);
    for (int call = 0; call < calls; ++call) {
      const Tensor x = run.leaf({2});
      callable({x})[0].sum().backward();
      run.see_grad("x", x);
    }
    callable.expect_replays(calls - 2, 0);
  });
  EXPECT_GE(warnings.count({"it has host parts, and other callables share its pool"}), 1U) << warnings.all();
}

}  // namespace host_part_backward_test
