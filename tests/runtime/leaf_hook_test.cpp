// SPDX-License-Identifier: Apache-2.0
//
// Hooks of leaves that a callable closes over or gets: how often they are called, and with what.
#include "support/device_test.h"
#include "support/seen_calls.h"

#include <torch/autograd.h>

namespace leaf_hook_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

GRAPHED_DEVICE_TEST_SUITE(LeafHook);

TEST_P(LeafHook, OfALeafFrozenSinceTheForwardRunsOnce) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4}), b = run.leaf({4});
    int calls = 0;
    const unsigned hook = w.register_hook([&calls](const Tensor& gradient) { return ++calls, gradient * 2; });
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * w + b}; });
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({run.random({16, 4})})[0];
      w.requires_grad_(step != 2);
      y.sum().backward();
      w.requires_grad_(true);
      run.see("calls", calls);
      run.see_grad("w.grad", w);
      run.see_grad("b.grad", b);
      if (step == 5) {
        w.remove_hook(hook);
      }
    }
    f.expect_replays(6, 6);
  });
}

TEST_P(LeafHook, OfALeafThatABackwardDoesNotReachIsNotCalled) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({4}), b = run.leaf({4});
    seen_calls of_a(a), of_b(b);
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * a, in[0] + b}; });
    for (int step = 0; step < 9; ++step) {
      const tensor_list y = f({run.random({16, 4})});
      const Tensor loss = step % 3 == 2 ? y[0].sum() + y[1].sum() : y[static_cast<std::size_t>(step % 3)].sum();
      loss.backward();
      run.see_grad("a.grad", a);
      run.see_grad("b.grad", b);
      of_a.take(run);
      of_b.take(run);
    }
    f.expect_replays(7, 7);
  });
}

TEST_P(LeafHook, OfAnArgumentThatABackwardDoesNotReachIsNotCalled) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({4}), b = run.leaf({4});
    seen_calls of_b(b);
    subject f(run, {{"a", {4}, at::kFloat, true}, {"b", {4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0] * 2, in[1] * 3}; });
    for (int step = 0; step < 6; ++step) {
      f({a, b})[0].sum().backward();
      run.see_grad("a.grad", a);
      run.see_grad("b.grad", b);
      of_b.take(run);
    }
    f.expect_replays(4, 4);
  });
}

// A sum gives one number to all elements: a tensor of one element, expanded.
TEST_P(LeafHook, SeesAnExpandedGradientExpanded) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({3, 4, 5});
    Tensor of_w, of_x;
    w.register_hook([&](const Tensor& gradient) { of_w = gradient; });
    subject f(run, {{"x", {3, 4, 5}, at::kFloat, true}}, [&](tensor_list& in) { return tensor_list{in[0].sum() + w.sum()}; });
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.leaf({3, 4, 5});
      x.register_hook([&](const Tensor& gradient) { of_x = gradient; });
      f({x})[0].backward();
      run.see("gradients", {of_w, of_x});
      run.see_grad("x.grad", x);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(LeafHook, OfALeafThatTheRestOfTheLossReachesIsCalledOnce) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({4}), b = run.leaf({4});
    seen_calls of_b(b);
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * a, in[0] + b}; });
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({16, 4})});
      (y[0].sum() + (b * 3).sum()).backward();
      run.see_grad("a.grad", a);
      run.see_grad("b.grad", b);
      of_b.take(run);
    }
    f.expect_replays(4, 4);
  });
}

struct stops_the_second : torch::autograd::Function<stops_the_second> {
  static Tensor forward(AutogradContext* /*context*/, const Tensor& one, const Tensor& /*other*/) { return one * 2; }
  static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) { return {gradients[0] * 2, Tensor()}; }
};

TEST_P(LeafHook, OfALeafThatIsReachedWithoutAGradientIsCalledAllTheSame) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({4}), b = run.leaf({4});
    seen_calls of_b(b);
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * stops_the_second::apply(a, b), in[0] + b}; });
    for (int step = 0; step < 6; ++step) {
      f({run.random({16, 4})})[0].sum().backward();
      run.see_grad("a.grad", a);
      run.see_grad("b.grad", b);
      of_b.take(run);
    }
    f.expect_replays(4, 4);
  });
}

}  // namespace leaf_hook_test
