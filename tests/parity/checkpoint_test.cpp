// SPDX-License-Identifier: Apache-2.0
//
// Activation checkpointing around graphed callables: the forward keeps its input alone, and the backward calls the callable once more.
#include "support/device_test.h"

#include <torch/autograd.h>

namespace checkpoint_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Checkpoint);

using section = std::function<Tensor(const Tensor&, const Tensor&)>;

Tensor state_of(c10::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_state_of(c10::Device device, const Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

/// torch.utils.checkpoint with preserve_rng_state: the second run draws what the first one drew.
struct Checkpointed : torch::autograd::Function<Checkpointed> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& w, int64_t address) {
    context->save_for_backward({x, w});
    context->saved_data["section"] = address;
    context->saved_data["random state"] = state_of(x.device());
    return section_at(address)(x, w);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor x = saved[0].detach().requires_grad_(), w = saved[1].detach().requires_grad_();
    const Tensor now = state_of(x.device());
    set_state_of(x.device(), context->saved_data["random state"].toTensor());
    const c10::AutoGradMode gradients_on(true);
    const Tensor again = section_at(context->saved_data["section"].toInt())(x, w);
    set_state_of(x.device(), now);
    const auto made = torch::autograd::grad({again}, {x, w}, gradients);
    return {made[0], made[1], Tensor()};
  }
  static const section& section_at(int64_t address) { return *reinterpret_cast<const section*>(address); }  // NOLINT: lives in the test
};

void expect_checkpointed_as_eager(c10::Device device, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true}, {"w", {8, 8}, at::kFloat, true}}, body);
    const section graphed = [&f](const Tensor& x, const Tensor& w) { return f({x, w})[0]; };
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({16, 8});
      const Tensor first = Checkpointed::apply(x, w, reinterpret_cast<int64_t>(&graphed));
      const Tensor second = Checkpointed::apply(first, w, reinterpret_cast<int64_t>(&graphed));
      run.see("y", second);
      second.pow(2).sum().backward();
      run.see_grad("x.grad", x);
      run.see_grad("w.grad", w);
    }
    f.expect_captures(2);
    f.expect_replays(10 + 10, 10);
  });
}

TEST_P(Checkpoint, AroundACallable) {
  expect_checkpointed_as_eager(device(), [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
}

// test_cuda.py, test_graph_checkpoint_preserve_rng_state, and test_cudagraph_trees.py, TestSAC.test_simple, with the state outside.
TEST_P(Checkpoint, AroundACallableThatDraws) {
  expect_checkpointed_as_eager(device(),
                               [](tensor_list& in) { return tensor_list{at::dropout(in[0].matmul(in[1]), 0.5, /*train=*/true)}; });
}

}  // namespace checkpoint_test
