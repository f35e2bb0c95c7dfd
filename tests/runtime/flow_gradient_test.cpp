// SPDX-License-Identifier: Apache-2.0
//
// Gradients of graphed::if_else; graphed::while_loop has none.
#include "support/flow.h"
#include "support/warnings.h"

#include <functional>
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

void change(const Tensor& tensor) {
  const c10::NoGradGuard no_grad;
  tensor.add_(1);
}

// No backward needs the numbers, which calls change while others await their backward.
void see_counts(scenario& run, const std::function<Tensor(const Tensor& x, const Tensor& weight, const Tensor& counts)>& body) {
  const Tensor weight = run.leaf({4}), counts = at::zeros({3}, run.options());
  subject callable(run, {{"x", {4}}}, [&](tensor_list& in) { return tensor_list{body(in[0], weight, counts)}; });
  for (int step = 0; step < calls; ++step) {
    const Tensor first = callable({run.random({4})})[0], second = callable({run.random({4})})[0];
    run.see_error("first", [&] { first.sum().backward(); });
    run.see_error("second", [&] { second.sum().backward(); });
    run.see_grad("weight", weight);
    run.see("counts", counts);
  }
  callable.expect_replays(2 * calls - 2, 2 * calls - 2);
}

TEST_P(FlowGradient, ABranchCountsInATensor) {
  expect_same([](scenario& run) {
    see_counts(run, [](const Tensor& x, const Tensor& weight, const Tensor& counts) {
      const auto count = [&](const Tensor& y, int64_t body) {
        change(counts[body]);
        change(counts.narrow(0, 2, 1));
        return y;
      };
      return if_else(x.sum() > 0, [&] { return count(x * weight, 0); }, [&] { return count(weight.exp(), 1); });
    });
  });
}

TEST_P(FlowGradient, ALoopCountsInATensor) {
  expect_same([](scenario& run) {
    see_counts(run, [](const Tensor& x, const Tensor& weight, const Tensor& counts) {
      const auto grow = [&](const Tensor& y) {
        change(counts[1]);
        return y * 2;
      };
      return weight * while_loop([](const Tensor& y) { return y.abs().sum() < 9; }, grow, x, 20);
    });
  });
}

// Eager needs what the body that ran has saved, and no more.
TEST_P(FlowGradient, OnlyWhatTheBodyThatRanHasSavedMustBeUnchanged) {
  expect_same([](scenario& run) {
    const Tensor scale = run.random({4});
    subject callable(run, {{"x", {4}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) {
      return tensor_list{if_else(in[0].sum() > 0, [&] { return in[0] * scale; }, [&] { return in[0] + scale; })};
    });
    int thrown = 0;
    for (int step = 0; step < 2 * calls; ++step) {
      const Tensor x = run.leaf({4}), y = callable({x})[0];
      if (step % 4 != 3) {
        change(scale);
      }
      thrown += run.see_error("backward", [&] { y.sum().backward(); }) ? 1 : 0;
      run.see_grad("x", x);
    }
    EXPECT_GT(thrown, 0);
    EXPECT_LT(thrown, 2 * calls * 3 / 4);
  });
}

// An argument, a result, a leaf and a constant, each of which other bodies have saved, after warm-ups or without them.
TEST_P(FlowGradient, EachOfSeveralBodiesHasSavedSomethingElse) {
  for (const int warmup : {0, 2}) {
    SCOPED_TRACE(warmup);
    expect_same([warmup](scenario& run) {
      const Tensor weight = run.leaf({4}), scale = run.random({4});
      settings chosen;
      chosen.warmup = warmup;
      subject callable(
          run, {{"x", {4}, at::kFloat, /*grad=*/true}},
          [&](tensor_list& in) {
            const Tensor &x = in[0], z = x * 2;
            const auto product_or_sum = [&] { return if_else(x[1] > 0, [&] { return z * weight; }, [&] { return z + weight; }); };
            const Tensor y = if_else(x[0] > 0, product_or_sum, [&] { return (x * scale).sin() + x * x; });
            return tensor_list{y, z};
          },
          chosen);
      int thrown = 0;
      for (int step = 0; step < 8 * calls; ++step) {
        const Tensor x = run.leaf({4});
        const tensor_list results = callable({x});
        const std::vector<Tensor> changed[] = {{}, {scale}, {weight}, {results[1]}, {x}, {scale, weight}, {scale, results[1]}};
        for (const Tensor& each : changed[step % 7]) {
          change(each);
        }
        thrown += run.see_error("backward", [&] { results[0].sum().backward(); }) ? 1 : 0;
        run.see_grad("x", x);
        run.see("weight", weight.grad().defined() ? weight.grad() : at::zeros_like(weight));
        weight.mutable_grad().reset();
        run.see("result", results[1]);
      }
      EXPECT_GT(thrown, calls);
      EXPECT_LT(thrown, 5 * calls);
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
