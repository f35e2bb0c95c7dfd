// SPDX-License-Identifier: Apache-2.0
//
// What is changed in place between a forward and its backward: an error in eager's words where eager needs the value, and only there.
#include "support/device_test.h"

#include <torch/nn.h>

namespace version_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Version);

void change(const Tensor& tensor) {
  const c10::AutoGradMode no_grad(false);
  tensor.add_(0.5);
}

// Calls `body` several times and changes what `changed` names between forward and backward. Arguments: x, w and bias.
struct arguments {
  Tensor x, w, bias, y;
};
void expect_as_eager(c10::Device device, bool grad_of_x, bool throws, const test_callable::body& body,
                     const std::function<void(const arguments&)>& meddle) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, grad_of_x}, {"w", {8, 4}, at::kFloat, true}, {"bias", {4}, at::kFloat, true}}, body);
    const Tensor w = run.leaf({8, 4}), bias = run.leaf({4});
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.random({16, 8}).set_requires_grad(grad_of_x);
      const Tensor y = f({x, w, bias})[0];
      if (step != 3) {
        meddle({x, w, bias, y});
      }
      const bool threw = run.see_error("backward", [&] { y.sum().backward(); });
      EXPECT_EQ(threw, throws && step != 3) << "step " << step << (run.graphed() ? ", graphed" : ", plain");
      run.see_grad("w.grad", w);
      run.see_grad("bias.grad", bias);
      run.see_grad("x.grad", x);
    }
    f.expect_captures(1);
  });
}

tensor_list linear(tensor_list& in) { return {at::addmm(in[2], in[0], in[1])}; }
tensor_list tanh_of_linear(tensor_list& in) { return {at::addmm(in[2], in[0], in[1]).tanh()}; }

TEST_P(Version, WeightThatTheBackwardNeeds) {
  expect_as_eager(device(), true, true, linear, [](const arguments& a) { change(a.w); });
}

TEST_P(Version, WeightThatTheBackwardDoesNotNeed) {
  expect_as_eager(device(), false, false, linear, [](const arguments& a) { change(a.w); });
}

TEST_P(Version, Bias) {
  expect_as_eager(device(), true, false, linear, [](const arguments& a) { change(a.bias); });
}

TEST_P(Version, InputThatTheBackwardNeeds) {
  expect_as_eager(device(), false, true, linear, [](const arguments& a) { change(a.x); });
}

TEST_P(Version, InputChangedThroughAView) {
  expect_as_eager(device(), false, true, linear, [](const arguments& a) { change(a.x[0]); });
}

TEST_P(Version, InputThatTheBackwardDoesNotNeed) {
  expect_as_eager(
      device(), false, false, [](tensor_list& in) { return tensor_list{in[0].narrow(1, 0, 4) + in[2] + in[1].sum()}; },
      [](const arguments& a) { change(a.x); });
}

TEST_P(Version, InputAndWeightThatAreReturnedAsViewsOnly) {
  const auto views = [](tensor_list& in) { return tensor_list{in[1].sum() + in[2], in[0].t(), in[1].t(), in[1][0]}; };
  expect_as_eager(device(), false, false, views, [](const arguments& a) { change(a.x), change(a.w); });
  expect_as_eager(device(), true, false, views, [](const arguments& a) { change(a.x), change(a.w); });
}

TEST_P(Version, InputThatTheBackwardNeedsThroughAReturnedView) {
  const auto square = [](tensor_list& in) {
    const Tensor view = in[0].view({16, 8});
    const Tensor rest = in[1].sum();  // first, so that eager's backward comes to it last, and throws before it gives w a gradient
    return tensor_list{(view * view).sum() + rest, view};
  };
  expect_as_eager(device(), true, true, square, [](const arguments& a) { change(a.x); });
}

TEST_P(Version, OutputThatTheBackwardNeeds) {
  expect_as_eager(device(), false, true, tanh_of_linear, [](const arguments& a) { change(a.y); });
}

TEST_P(Version, OutputThatTheBackwardDoesNotNeed) {
  expect_as_eager(device(), false, false, linear, [](const arguments& a) { change(a.y); });
}

TEST_P(Version, OutputChangedThroughAView) {
  expect_as_eager(device(), false, true, tanh_of_linear, [](const arguments& a) { change(a.y.t()); });
}

TEST_P(Version, OutputChangedWithGradModeOn) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; });
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 5; ++step) {
      Tensor y = f({run.random({16, 8}), w})[0];
      y.mul_(3).sigmoid_();
      y.sum().backward();
      run.see("y", y);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Version, ClosedOverParametersSteppedBetweenForwardAndBackward) {
  expect_same([](scenario& run) {
    const tensor_list parameters{run.leaf({8, 8}), run.leaf({8}), run.leaf({8, 4}), run.leaf({4})};
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) {
      const Tensor hidden = at::addmm(parameters[1], in[0], parameters[0]).tanh();
      return tensor_list{at::addmm(parameters[3], hidden, parameters[2])};
    });
    for (int step = 0; step < 12; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      if (step % 2 == 1) {
        change(parameters[static_cast<std::size_t>(step / 2) % 4]);
      }
      const bool threw = run.see_error("backward", [&] { y.sum().backward(); });
      EXPECT_EQ(threw, step == 5);  // the first layer's input has no gradient, so only the second layer's weight is needed
      for (const auto& parameter : parameters) {
        run.see_grad("gradient", parameter);
      }
    }
    f.expect_captures(1);
  });
}

TEST_P(Version, ModuleParametersSteppedBetweenForwardAndBackward) {
  expect_same([](scenario& run) {
    torch::nn::Sequential net(torch::nn::Linear(8, 8), torch::nn::Tanh(), torch::nn::Linear(8, 4));
    net->to(run.device());
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{net->forward(in[0])}; }, {}, net.ptr().get());
    const auto parameters = net->parameters();
    for (int step = 0; step < 12; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      if (step % 2 == 1) {
        change(parameters[static_cast<std::size_t>(step / 2) % 4]);
      }
      // Eager names the shape of the transposed view that it saved, so the texts differ.
      bool threw = false;
      try {
        y.sum().backward();
      } catch (const c10::Error& error) {
        threw = message_of(error).find("modified by an inplace operation") != std::string::npos;
      }
      EXPECT_EQ(threw, step == 5) << step;
      for (const auto& parameter : parameters) {
        run.see_grad("gradient", parameter);
      }
    }
    f.expect_captures(1);
  });
}

TEST_P(Version, SecondForwardStepsWhatTheFirstNeeds) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh().matmul(in[1])}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 5; ++step) {
      const Tensor first = f({run.random({16, 8}), w})[0];
      const Tensor second = f({run.random({16, 8}), w})[0];
      second.sum().backward();
      {
        const c10::AutoGradMode no_grad(false);
        w.sub_(w.grad(), 0.1);
      }
      run.see_grad("w.grad", w);
      EXPECT_TRUE(run.see_error("first", [&] { first.sum().backward(); }));
    }
  });
}

// The gradient of the written argument, a result of its own, comes from the other result: no node is left out.
TEST_P(Version, ArgumentThatOneResultsBackwardKeepsWithoutReadingIt) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4}, at::kFloat, true, true}, {"y", {4}}}, [](tensor_list& in) {
      in[0].copy_(in[1]);
      return tensor_list{at::_foreach_sin({in[1], in[0]}).at(1)};
    });
    const Tensor w = run.leaf({4});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = run.random({4});
      const Tensor z = f({w * 2, y})[0];
      if (step != 3) {
        change(y);
      }
      EXPECT_EQ(run.see_error("backward", [&] { z.sum().backward(); }), step != 3) << "step " << step;
      run.see_grad("w.grad", w);
    }
    f.expect_captures(1);
  });
}

}  // namespace version_test
