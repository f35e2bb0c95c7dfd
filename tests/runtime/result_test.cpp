// SPDX-License-Identifier: Apache-2.0
//
// Callables of every form: without parameters or arguments, results that are empty, undefined, integers, or not contiguous.
#include "support/calls.h"

namespace result_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Result);

const argument x_argument{"x", {16, 8}};
const argument w_argument{"w", {8, 8}, at::kFloat, true};

TEST_P(Result, WithoutParametersOfAnyKind) {
  expect_same_calls(device(), {x_argument}, [](tensor_list& in) { return tensor_list{in[0].softmax(1)}; });
}

TEST_P(Result, WithoutArguments) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, {}, [&](tensor_list&) { return tensor_list{w.matmul(w).tanh()}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
      const c10::AutoGradMode no_grad(false);
      w.mul_(0.9);
    }
    if (run.device().is_cpu()) {
      f.expect_replays(4, 4);
    }
  });
}

TEST_P(Result, WithoutOutputsThatRequireGrad) {
  expect_same([](scenario& run) {
    subject f(run, {x_argument, w_argument}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).argmax(1), in[0] * 2}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8}), w}));
    }
    f.expect_replays(4);
    f.expect_captures(1);
  });
}

TEST_P(Result, WithoutOutputs) {
  expect_same([](scenario& run) {
    const Tensor total = at::zeros({8}, run.options());
    subject f(run, {x_argument}, [&](tensor_list& in) {
      total.add_(in[0].sum(0));
      return tensor_list{};
    });
    for (int step = 0; step < 6; ++step) {
      const auto version = total._version();
      EXPECT_TRUE(f({run.random({16, 8})}).empty());
      EXPECT_GT(total._version(), version);
      run.see("total", total);
    }
    f.expect_replays(4);
  });
}

TEST_P(Result, DetachedInside) {
  expect_same_calls(device(), {x_argument, w_argument}, [](tensor_list& in) {
    const Tensor y = in[0].matmul(in[1]);
    return tensor_list{y, y.detach(), (y.detach() > 0)};
  });
}

TEST_P(Result, WithAnUnusedInput) {
  expect_same_calls(device(), {x_argument, {"unused", {3}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
}

TEST_P(Result, EmptyTensors) {
  expect_same_calls(device(), {{"x", {0, 8}}, w_argument},
                    [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]), in[1].narrow(0, 0, 0) * 2, in[1].sum()}; });
}

TEST_P(Result, ZeroDimensionalTensors) {
  expect_same_calls(device(), {{"x", {}}, {"w", {}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0] * in[1]}; });
}

TEST_P(Result, Undefined) {
  expect_same_calls(device(), {x_argument, w_argument},
                    [](tensor_list& in) { return tensor_list{Tensor(), in[0].matmul(in[1]), Tensor()}; });
}

TEST_P(Result, IntegersBesideFloats) {
  expect_same_calls(device(), {x_argument, w_argument}, [](tensor_list& in) {
    auto [values, indices] = in[0].matmul(in[1]).max(1);
    return tensor_list{indices, values, values > 0};
  });
}

TEST_P(Result, OfSeveralTypes) {
  for (const auto dtype : {at::kDouble, at::kHalf, at::kBFloat16, at::kComplexFloat}) {
    expect_same_calls(device(), {{"x", {16, 8}, dtype}, {"w", {16, 8}, dtype, true}},
                      [](tensor_list& in) { return tensor_list{in[0] * in[1] + in[0]}; });
  }
}

TEST_P(Result, ShapesThatAreNotContiguous) {
  expect_same_calls(device(), {x_argument, w_argument},
                    [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).t(), in[0].unfold(1, 3, 2) * 2}; });
}

// What shares memory with an argument, and is not a view of it that autograd knows, is never captured.
void expect_plain_calls(c10::Device device, const argument& x, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {x}, body);
    const tensor_list leaves = x.grad ? tensor_list{run.leaf(x.shape, x.dtype)} : tensor_list{};
    for (int step = 0; step < 6; ++step) {
      see_call(run, f, {x}, leaves);
    }
    f.expect_captures(0);
  });
}

TEST_P(Result, DetachedArgumentIsNotAView) {
  expect_plain_calls(device(), {"x", {8, 8}, at::kFloat, true}, [](tensor_list& in) { return tensor_list{in[0].detach(), in[0] * 2}; });
}

TEST_P(Result, ConjugatedArgument) {
  expect_plain_calls(device(), {"x", {8, 8}, at::kComplexFloat}, [](tensor_list& in) { return tensor_list{in[0].conj()}; });
}

TEST_P(Result, ConjugatesImaginaryPart) {
  expect_same_calls(device(), {{"x", {8, 8}, at::kComplexFloat}}, [](tensor_list& in) {
    const Tensor negative = at::imag((in[0] * 2).conj());
    EXPECT_TRUE(negative.is_neg());
    return tensor_list{negative, negative + 1};
  });
}

TEST_P(Result, DetachedTensorOfAParameterThatIsThawedLater) {
  expect_same([](scenario& run) {
    const Tensor w = run.random({8});
    subject f(run, {}, [&](tensor_list&) { return tensor_list{w.detach(), w.view({2, 4})}; });
    for (int step = 0; step < 5; ++step) {
      const tensor_list y = [&] {
        const c10::AutoGradMode no_grad(false);
        return f({});
      }();
      w.requires_grad_(true);
      run.see("y", y);
      w.requires_grad_(false);
    }
  });
}

}  // namespace result_test
