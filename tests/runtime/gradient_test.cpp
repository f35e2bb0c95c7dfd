// SPDX-License-Identifier: Apache-2.0
//
// Which gradients a backward computes: chosen inputs, unused outputs, strides, hooks, nodes of the user's own.
#include "support/device_test.h"

#include <torch/autograd.h>

namespace gradient_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Gradient);

tensor_list two_heads(tensor_list& in) { return {in[0].matmul(in[1]).tanh(), in[0].matmul(in[2])}; }
const std::vector<argument> two_heads_arguments{{"x", {16, 8}}, {"a", {8, 4}, at::kFloat, true}, {"b", {8, 2}, at::kFloat, true}};

TEST_P(Gradient, OfAnInput) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true}, {"w", {8, 4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).sigmoid()}; });
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.leaf({16, 8});
      f({x, w})[0].pow(2).sum().backward();
      run.see_grad("x.grad", x);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Gradient, OfAnInputThatHasAHistory) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].exp()}; });
    const Tensor w = run.leaf({16, 8});
    for (int step = 0; step < 5; ++step) {
      f({w * 2})[0].sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Gradient, OneOfTwoOutputsUnusedInTheLoss) {
  expect_same([](scenario& run) {
    subject f(run, two_heads_arguments, two_heads);
    const Tensor a = run.leaf({8, 4}), b = run.leaf({8, 2});
    for (int step = 0; step < 12; ++step) {
      const auto y = f({run.random({16, 8}), a, b});
      Tensor loss = y[step % 3 == 0 ? 0 : 1].pow(2).sum();
      if (step % 3 == 2) {
        loss = loss + y[0].sum();
      }
      loss.backward();
      EXPECT_EQ(a.grad().defined(), step % 3 != 1);
      EXPECT_EQ(b.grad().defined(), step % 3 != 0);
      run.see_grad("a.grad", a);
      run.see_grad("b.grad", b);
    }
    f.expect_replays(10, 10);
    f.expect_captures(1);
  });
}

TEST_P(Gradient, OfChosenInputs) {
  expect_same([](scenario& run) {
    subject f(run, two_heads_arguments, two_heads);
    const Tensor a = run.leaf({8, 4}), b = run.leaf({8, 2});
    for (int step = 0; step < 6; ++step) {
      const auto y = f({run.random({16, 8}), a, b});
      const Tensor loss = y[0].sum() + y[1].pow(2).sum();
      const auto chosen = torch::autograd::grad({loss}, {step % 2 == 0 ? a : b});
      run.see("chosen", chosen);
      EXPECT_FALSE(a.grad().defined() || b.grad().defined());
    }
  });
}

TEST_P(Gradient, OfAnUnusedInputIsUndefined) {
  expect_same([](scenario& run) {
    subject f(run, two_heads_arguments, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; });
    const Tensor a = run.leaf({8, 4}), b = run.leaf({8, 2});
    for (int step = 0; step < 5; ++step) {
      f({run.random({16, 8}), a, b})[0].sum().backward();
      EXPECT_FALSE(b.grad().defined());
      run.see_grad("a.grad", a);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Gradient, ArrivesInAnyLayout) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {6, 8}}, {"w", {8, 6}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
    const Tensor w = run.leaf({8, 6});
    for (int step = 0; step < 12; ++step) {
      const Tensor y = f({run.random({6, 8}), w})[0];
      const Tensor gradient = run.random({6, 6});
      if (step % 4 == 0) {
        y.sum().backward();
      }
      if (step % 4 == 1) {
        y.backward(gradient);
      }
      if (step % 4 == 2) {
        y.t().backward(gradient);
      }
      if (step % 4 == 3) {
        y.backward(run.random({6, 1}).expand({6, 6}));
      }
      run.see_grad("w.grad", w);
    }
    f.expect_replays(10, 10);
  });
}

// An accumulator would copy it.
TEST_P(Gradient, AskedForIsWhatHasComeToTheLeaf) {
  expect_same([](scenario& run) {
    const Tensor x = run.leaf({1, 36}), w = run.leaf({36});
    subject f(run, {{"x", {1, 36}, at::kFloat, true}}, [&w](tensor_list& in) { return tensor_list{in[0].flatten(0) + w}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor loss = f({x})[0].sum();
      if (step % 2 == 0) {
        run.see("gradients", torch::autograd::grad({loss}, {x, w}));
      } else {
        loss.backward({}, /*retain_graph=*/false, /*create_graph=*/false, std::vector<Tensor>{x, w});
        run.see_grad("x", x);
        run.see_grad("w", w);
      }
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Gradient, EverNewStridesEndInEagerBackwards) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {2, 3, 5}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    for (int64_t step = 0; step < 24; ++step) {
      const Tensor x = run.leaf({2, 3, 5});
      const Tensor gradient = run.random({2, 3, 5 + step}).narrow(2, 0, 5);
      f({x})[0].backward(gradient);
      run.see("x.grad", x.grad());
    }
    f.expect_replays(22, 16);
  });
  EXPECT_EQ(warnings_.count({"16 backwards are captured", "eager autograd", link_to("explanation/outputs.md#calls-in-flight")}), 1U)
      << warnings_.all();
}

TEST_P(Gradient, HooksRunOnce) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4}), closed_over = run.leaf({4});
    int calls = 0;
    w.register_hook([&calls](const Tensor& gradient) { return ++calls, gradient * 2; });
    closed_over.register_hook([&calls](const Tensor& gradient) { return ++calls, gradient * 3; });
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{in[0].matmul(in[1]) * closed_over}; });
    for (int step = 0; step < 5; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      y.register_hook([&calls](const Tensor& gradient) { return ++calls, gradient * 5; });
      y.sum().backward();
      EXPECT_EQ(calls, 3 * (step + 1));
      run.see_grad("w.grad", w);
      run.see_grad("closed_over.grad", closed_over);
    }
    f.expect_replays(3, 3);
  });
}

struct CubeFunction : torch::autograd::Function<CubeFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    context->save_for_backward({x});
    return x * x * x;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    const Tensor x = context->get_saved_variables()[0];
    return {gradients[0] * x * x * 3};
  }
};

TEST_P(Gradient, CustomFunctionInside) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{CubeFunction::apply(in[0].matmul(in[1]))}; });
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 5; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Gradient, LossOfAnEarlierEagerCallStaysAlive) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4}), closed_over = run.leaf({4});
    const auto body = [&](tensor_list& in) { return tensor_list{(in[0].matmul(in[1]) * closed_over).tanh()}; };
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, body);
    tensor_list arguments{run.random({16, 8}), w};
    const Tensor early = body(arguments)[0].sum();
    for (int step = 0; step < 5; ++step) {
      f({run.random({16, 8}), w})[0].sum().backward();
      run.see_grad("w.grad", w);
      run.see_grad("closed_over.grad", closed_over);
    }
    early.backward();
    run.see_grad("w.grad of the early loss", w);
    run.see_grad("closed_over.grad of the early loss", closed_over);
    f.expect_replays(3, 3);
  });
}

TEST_P(Gradient, OfTheSameTensorAsTwoArguments) {
  expect_same([](scenario& run) {
    subject f(run, {{"a", {8, 8}, at::kFloat, true}, {"b", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 5; ++step) {
      f({w, w})[0].sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Gradient, HookOfALeafThatIsFrozenBeforeTheFirstBackward) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8});
    w.register_hook([](const Tensor& gradient) { return gradient * 2; });
    subject f(run, {{"x", {4, 8}, at::kFloat, true}}, [&](tensor_list& in) { return tensor_list{in[0] * w}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.leaf({4, 8})})[0];
      w.requires_grad_(step != 2);
      y.sum().backward();
      w.requires_grad_(true);
      run.see_grad("w", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Gradient, OfACallThatAnEarlierBackwardPassedBy) {
  expect_same([](scenario& run) {
    subject g(run, {{"x", {4, 8}}, {"w", {8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{(in[0] * in[1]).exp()}; });
    subject f(run, {{"h", {4, 8}, at::kFloat, true}, {"v", {8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].tanh(), in[1].tanh()}; });
    const Tensor w = run.leaf({8}), v = run.leaf({8});
    for (int step = 0; step < 6; ++step) {
      const Tensor h = g({run.random({4, 8}), w})[0];
      f({h, v})[1].sum().backward();
      run.see_grad("w", w);
      run.see_grad("v", v);
      run.see_error("backward", [&] { h.sum().backward(); });
      run.see_grad("w", w);
    }
    g.expect_replays(4, 4);
    f.expect_replays(4, 4);
  });
}

}  // namespace gradient_test
