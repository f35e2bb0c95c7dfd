// SPDX-License-Identifier: Apache-2.0
//
// Gradients of graphed::if_else; graphed::while_loop has none.
#include "support/flow.h"
#include "support/warnings.h"

#include <vector>

namespace flow_gradient_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(FlowGradient);

Tensor of_four(const Tensor& x, const Tensor& y) {
  return if_else(
      x[0] > 0,
      [&] {
        const Tensor z = y + 1;
        return if_else(x[1] > 0, [&] { return z * 2; }, [&] { return z.sin(); }) - 1;
      },
      [&] { return if_else(x[1] > 0, [&] { return y.cos() + x; }, [&] { return y.mm(y); }) * 3; });
}

TEST_P(FlowGradient, OfTheBodyThatRan) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({4, 4}), shift = run.leaf({4});
    subject callable(run, {{"x", {2, 4}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) {
      const Tensor y = in[0].mm(weight).tanh();
      const auto both = if_else(
          y.sum() > 0, [&] { return tensor_list{(y * shift).exp(), y + in[0]}; },
          [&] { return tensor_list{(y - shift).sin() * 2, in[0] * in[0] + y}; });
      return tensor_list{(both[0] * both[1]).sum(), both[1]};
    });
    for (int call = 0; call < 203; ++call) {
      const Tensor x = run.leaf({2, 4});
      const tensor_list results = callable({x});
      run.see("results", results);
      if (call % 3 == 0) {
        (results[0] + results[1].sum()).backward();
      } else {
        results[0].backward();
      }
      run.see_grad("x", x);
      run.see_grad("weight", weight);
      run.see_grad("shift", shift);
    }
    callable.expect_replays(201, 201);
  });
}

// What one body alone uses has a gradient of zeros where the other one has run; in an eager call it has none.
TEST_P(FlowGradient, OfWhatOneBodyUses) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    const Tensor ups = run.leaf({2}), downs = run.leaf({2});
    subject callable(run, {{"x", {2}}}, [&](tensor_list& in) {
      const Tensor sum = in[0].sum();
      const Tensor y = if_else(sum > 0, [&] { return ups * in[0]; }, [&] { return downs.exp(); });
      return tensor_list{if_else(sum > 1, [&] { return y; }, [&] { return in[0] * ups; })};
    });
    for (int call = 0; call < 4 * calls; ++call) {
      callable({run.random({2})})[0].sum().backward();
      for (const Tensor* leaf : {&ups, &downs}) {
        run.see("gradient", leaf->grad().defined() ? leaf->grad().clone() : at::zeros_like(*leaf));
        leaf->mutable_grad().reset();
      }
    }
    if (run.graphed()) {
      EXPECT_GE(callable.stats().replays, static_cast<uint64_t>(3 * calls)) << callable.explain();
      EXPECT_GE(callable.stats().backward_replays, static_cast<uint64_t>(3 * calls)) << callable.explain();
    }
  });
  EXPECT_EQ(warnings.count({"test_callable", "gradients reach a tensor of shape [2] through one body", "give it zeros"}), 1U)
      << warnings.all();
}

TEST_P(FlowGradient, OfTwoInEachOfTwo) {
  expect_same([](scenario& run) {
    subject callable(run, {{"x", {2}}, {"y", {2, 2}, at::kFloat, /*grad=*/true}},
                     [](tensor_list& in) { return tensor_list{of_four(in[0], in[1]).pow(2)}; });
    for (int call = 0; call < 4 * calls; ++call) {
      const Tensor y = run.leaf({2, 2});
      const tensor_list results = callable({run.random({2}), y});
      run.see("results", results);
      results[0].backward(at::ones_like(results[0]));
      run.see_grad("y", y);
    }
    callable.expect_replays(4 * calls - 2, 4 * calls - 2);
  });
}

TEST_P(FlowGradient, InAStep) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2, 2});
    subject step(
        run, {{"x", {2, 2}}},
        [&weight](tensor_list& in) {
          const Tensor y = in[0].mm(weight);
          const Tensor loss = if_else(in[0].sum() > 0, [&] { return y.pow(2).sum(); }, [&] { return (y.exp() - weight).abs().sum(); });
          weight.mutable_grad().reset();
          loss.backward();
          const c10::NoGradGuard no_grad;
          weight.sub_(weight.grad() * 0.01);
          return tensor_list{loss.detach()};
        },
        of_a_step());
    for (int call = 0; call < 2 * calls; ++call) {
      run.see("loss", step({run.random({2, 2}).abs() * (call % 2 == 0 ? 1 : -1)}));
      run.see("weight", weight);
    }
    step.expect_replays(2 * calls - 2);
  });
}

// Whichever body the last warm-up has run: the backward through the other one has other operators.
TEST_P(FlowGradient, InAStepThroughOneBodyAlone) {
  for (int first = 0; first < 4; ++first) {
    SCOPED_TRACE(first);
    expect_same([first](scenario& run) {
      const Tensor weight = run.leaf({2});
      subject step(
          run, {{"x", {2}}},
          [&weight](tensor_list& in) {
            weight.mutable_grad().reset();
            const Tensor y = if_else(in[0][0] > 0, [&] { return in[0] * weight.exp(); }, [&] { return in[0] * 2; });
            const Tensor loss = (y * weight).sum();
            loss.backward();
            const c10::NoGradGuard no_grad;
            weight.sub_(weight.grad() * 0.1);
            return tensor_list{loss.detach()};
          },
          of_a_step());
      for (int call = 0; call < 2 * calls; ++call) {
        const bool is_positive = call < 2 ? (first >> call) % 2 != 0 : call % 3 == 0;
        const Tensor x = run.random({2}).abs();
        run.see("loss", step({is_positive ? x : -x}));
        run.see("weight", weight);
      }
      step.expect_replays(2 * calls - 2);
    });
  }
}

TEST_P(FlowGradient, ALoopHasNoGradient) {
  const Tensor x = at::ones({2}, device()).requires_grad_(), weight = at::full({2}, 2.0F, device()).requires_grad_();
  const auto is_small = [](const Tensor& y) { return y[0] < 9; };
  EXPECT_THROW(while_loop(is_small, [](const Tensor& y) { return y * 2; }, x, 20), Error);
  EXPECT_THROW(while_loop(is_small, [&](const Tensor& y) { return y * weight; }, x.detach(), 20), Error);
  const c10::NoGradGuard no_grad;
  EXPECT_TRUE(while_loop(is_small, [&](const Tensor& y) { return y * weight; }, x, 20).equal(x * 16));
}

}  // namespace flow_gradient_test
