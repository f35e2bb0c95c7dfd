// SPDX-License-Identifier: Apache-2.0
//
// Calls in unusual places and orders: in a hook, in threads that end, with losses that differ from call to call, on rows in turn. The file
// test_cudagraph_trees.py has the orders of forwards and backwards in test_forward_generation and test_warn_on_pending_backward.
#include "support/device_test.h"

#include <torch/autograd.h>

#include <thread>

namespace call_order_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(CallOrder);

TEST_P(CallOrder, DifferentLossesOverTheSameResults) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]);
      return tensor_list{y.tanh(), y.sum(1), y[0]};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 12; ++step) {
      const tensor_list y = f({run.random({16, 8}), w});
      Tensor loss = at::zeros({}, run.options());
      for (std::size_t i = 0; i < 3; ++i) {
        if (((step + 1) >> i) & 1) {
          loss = loss + (step % 2 == 0 ? y[i].sum() : y[i].pow(2).mean());
        }
      }
      if (loss.requires_grad()) {
        loss.backward();
      }
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(CallOrder, ForwardInAHookOfItsOwnBackward) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      Tensor z;
      y.register_hook([&](const Tensor& gradient) {
        const c10::AutoGradMode on(true);
        z = f({gradient.detach(), w})[0];
        return gradient;
      });
      y.sum().backward();
      run.see("z", z);
      run.see_grad("w.grad", w);
      z.sum().backward();
      run.see_grad("w.grad of z", w);
    }
  });
}

TEST_P(CallOrder, ThreadsThatEndTakeTurns) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::dropout(in[0].matmul(in[1]), 0.3, true)}; });
    for (int step = 0; step < 8; ++step) {
      const Tensor x = run.random({16, 8});
      Tensor y;
      std::thread([&] { y = f({x, w})[0]; }).join();
      run.see("y", y);
      std::thread([&] { y.sum().backward(); }).join();
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(CallOrder, RowsWrittenInTurn) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {128}, at::kFloat, false, true}, {"y", {128}, at::kFloat, false, true}}, [](tensor_list& in) {
      in[0].add_(in[1]);
      in[1].mul_(2);
      return tensor_list{in[0] - in[1]};
    });
    const Tensor memory = run.random({4, 128});
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({memory[step % 4], memory[(step + 1) % 4]}));
      run.see("memory", memory);
    }
  });
}

TEST_P(CallOrder, RowsOfAParameterInTurn) {
  expect_same([](scenario& run) {
    const Tensor table = run.leaf({4, 128});
    subject f(run, {{"w", {128}, at::kFloat, true}, {"x", {128}}}, [](tensor_list& in) { return tensor_list{(in[0] * in[1]).sum()}; });
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({table[step % 4], run.random({128})})[0], z = f({table[(step + 1) % 4], run.random({128})})[0];
      (y * z).backward();
      run.see_grad("table.grad", table);
    }
  });
}

TEST_P(CallOrder, KeyKeptByAFunctionOfTheUsersOwn) {
  expect_same([](scenario& run) {
    struct Scale : torch::autograd::Function<Scale> {
      static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, double factor) {
        context->saved_data["factor"] = factor;
        return x * factor;
      }
      static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list g) {
        return {g[0] * context->saved_data["factor"].toDouble(), Tensor()};
      }
    };
    bool big = false;
    subject f(run, {{"x", {8}, at::kFloat, true}}, [&](tensor_list& in) { return tensor_list{Scale::apply(in[0], big ? 10.0 : 2.0)}; });
    for (int step = 0; step < 10; ++step) {
      big = step % 2 == 0;
      const Tensor x = run.leaf({8});
      f({x}, Scalars().key("big", big))[0].sum().backward();
      run.see_grad("x.grad", x);
    }
  });
}

}  // namespace call_order_test
