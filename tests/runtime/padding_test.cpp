// SPDX-License-Identifier: Apache-2.0
//
// Batches that are smaller than a sample: filled up, and their results and gradients cut down.
#include "support/device_test.h"

namespace padding_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Padding);

settings padded(std::vector<int64_t> values, PadFill fill = PadFill::Zero) {
  settings all;
  all.sizes = std::move(values);
  all.pad = fill;
  return all;
}

// Row by row, so that a row's result does not depend on the size of the batch.
tensor_list by_row(tensor_list& in) { return {(in[0] * in[1]).tanh().sum(1), in[0].exp()}; }

const std::vector<argument> rows{{"x", {B, 8}, at::kFloat, true}, {"w", {8}, at::kFloat, true}};

TEST_P(Padding, ResultsAreThoseOfTheBatchItself) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8}}}, by_row, padded({4, 16}));
    for (int step = 0; step < 4; ++step) {
      for (const int64_t size : {4, 3, 16, 9}) {
        run.see("y", f({run.random({size, 8}), run.random({8})}));
      }
    }
    f.expect_captures(2);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().misses_by_parameter.size(), 0U) << f.stats();
      EXPECT_GE(f.stats().replays, 10U) << f.stats();
    }
  });
}

// As eager's do, so that they can be viewed as something else.
TEST_P(Padding, ResultsLieInMemoryAsThoseOfTheBatch) {
  expect_same([](scenario& run) {
    subject f(
        run, {{"x", {3, B}, at::kFloat, true}},
        [](tensor_list& in) {
          const Tensor y = (in[0] * 2).exp();
          return tensor_list{y, y.t(), y.t().contiguous(), y.unsqueeze(0).narrow(1, 0, 1), y.slice(0, 0, 0)};
        },
        padded({8}));
    for (int step = 0; step < 5; ++step) {
      for (const int64_t size : {8, 5, 1}) {
        const Tensor x = run.leaf({3, size});
        const auto y = f({x});
        for (const auto& each : y) {
          run.see("strides", each.numel() == 0 ? "none" : c10::str(each.strides()));
        }
        run.see("y", y);
        run.see("viewed", y[0].view(-1));
        (y[0].view(-1).sum() + y[1].sum()).backward();
        run.see_grad("x", x);
      }
    }
    f.expect_captures(1);
    if (run.graphed()) {
      EXPECT_GE(f.stats().replays, 9U) << f.stats();
    }
  });
}

TEST_P(Padding, ResultsOfABatchThatLiesOtherwiseLieAsInEagerMode) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {3, B}}}, [](tensor_list& in) { return tensor_list{in[0] * in[0]}; }, padded({8}));
    for (int step = 0; step < 6; ++step) {
      for (const Tensor& x : {run.random({3, 5}), run.random({5, 3}).t(), run.random({3, 9}).slice(1, 0, 5)}) {
        const Tensor y = f({x})[0];
        run.see("y", y);
        run.see("strides", c10::str(y.strides()));
      }
    }
    f.expect_captures(1);
    f.expect_replays(15);
  });
}

TEST_P(Padding, GradientsAreThoseOfTheBatchItself) {
  expect_same([](scenario& run) {
    subject f(run, rows, [](tensor_list& in) { return tensor_list{(in[0] * in[1]).tanh(), in[0].exp()}; }, padded({4, 16}));
    const Tensor w = run.leaf({8});
    for (int step = 0; step < 4; ++step) {
      for (const int64_t size : {4, 3, 2, 16, 9}) {
        const Tensor x = run.leaf({size, 8});
        const auto y = f({x, w});
        run.see("y", y);
        (y[0] * run.random({size, 8})).sum().backward();
        run.see_grad("x", x);
        run.see("w", w.grad().sizes() == w.sizes() ? "a gradient of its shape" : "another");
        w.mutable_grad() = Tensor();
      }
    }
    f.expect_captures(2);
  });
}

// Each row adds to the gradient of w: the rows that are filled up must add nothing.
TEST_P(Padding, FilledRowsAddNothingToAGradient) {
  for (const auto fill : {PadFill::Zero, PadFill::Repeat}) {
    expect_same([fill](scenario& run) {
      subject f(run, rows, [](tensor_list& in) { return tensor_list{in[0].exp() * in[1]}; }, padded({8}, fill));
      const Tensor w = run.leaf({8});
      for (int step = 0; step < 6; ++step) {
        const Tensor x = at::arange(16, run.options()).reshape({2, 8}).requires_grad_();
        const Tensor y = f({x, w})[0];
        y.sum().backward();
        run.see_grad("w", w);  // two rows: their sum is the same in any order
        run.see_grad("x", x);
      }
      f.expect_replays(4, 4);
    });
  }
}

TEST_P(Padding, TheRestIsFilledAsSaid) {
  for (const auto fill : {PadFill::Zero, PadFill::Repeat}) {
    settings all = padded({6}, fill);
    all.warmup = 0;
    test_callable f({{"x", {B, 2}}}, [](tensor_list& in) { return tensor_list{in[0] * 1, in[0].sum(0, /*keepdim=*/true)}; }, all);
    const Tensor x = at::tensor({1.F, 2.F, 3.F, 4.F}).reshape({2, 2}).to(device());
    f({x});  // shows the shapes of a batch of two
    const Tensor whole = f({x})[1].cpu();
    const Tensor expected = fill == PadFill::Zero ? at::tensor({4.F, 6.F}) : at::tensor({4.F + 4 * 3, 6.F + 4 * 4});
    EXPECT_TRUE(at::equal(whole, expected.reshape({1, 2}))) << whole;
  }
}

TEST_P(Padding, EmptyBatch) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8}}}, by_row, padded({4}, PadFill::Repeat));
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({0, 8}), run.random({8})}));
    }
    f.expect_replays(4);
  });
}

TEST_P(Padding, TheSmallestSampleServes) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8}}}, by_row, padded({64, 4, 16}));
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.random({5, 8}), run.random({8})}));
    }
    if (run.graphed()) {
      EXPECT_EQ(f.stats().bytes_staged, 3 * (5 * 8 + 8) * sizeof(float)) << f.stats();
    }
  });
}

TEST_P(Padding, TooLargeABatchRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8}}}, by_row, padded({4, 16}));
    run.see("y", f({run.random({17, 8}), run.random({8})}));
    f.expect_misses(Miss::Shape, 1);
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected at most [4, 8] or at most [16, 8], got [17, 8]"}), 1U) << warnings_.all();
}

TEST_P(Padding, TwoArgumentsMustAgreeOnTheSize) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"y", {B, 8}}}, [](tensor_list& in) { return tensor_list{in[0].sum(), in[1].sum()}; }, padded({4}));
    run.see("y", f({run.random({2, 8}), run.random({3, 8})}));
    f.expect_misses(Miss::Shape, 1);
  });
}

TEST_P(Padding, TwoDimensionsOfOneTensor) {
  expect_same([](scenario& run) {
    for (const auto fill : {PadFill::Zero, PadFill::Repeat}) {
      subject f(
          run, {{"x", {B, 3, B}}}, [](tensor_list& in) { return tensor_list{in[0].transpose(0, 2) * 2, in[0].exp()}; }, padded({4}, fill));
      for (int step = 0; step < 6; ++step) {
        const auto y = f({run.random({3, 3, 3})});
        run.see("transposed", y[0].contiguous());
        run.see("y", y[1].contiguous());
      }
      f.expect_replays(4);
    }
  });
}

TEST_P(Padding, InPlaceArgumentGetsItsOwnRows) {
  expect_same([](scenario& run) {
    subject f(
        run, {{"x", {B, 8}, at::kFloat, false, true}},
        [](tensor_list& in) {
          in[0].add_(1);
          return tensor_list{in[0] * 2};
        },
        padded({4}));
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({3, 8});
      run.see("y", f({x}));
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(Padding, HeldResultsStay) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8}}}, by_row, padded({4}));
    std::vector<tensor_list> held;
    for (int step = 0; step < 8; ++step) {
      held.push_back(f({run.random({1 + step % 4, 8}), run.random({8})}));
    }
    for (const auto& y : held) {
      run.see("y", y);
    }
  });
}

TEST_P(Padding, ResultsThatViewAnArgumentRunPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}}, [](tensor_list& in) { return tensor_list{in[0].reshape({-1}), in[0] + 1}; }, padded({4}));
    for (int step = 0; step < 4; ++step) {
      run.see("y", f({run.random({4, 8})}));
    }
    for (int step = 0; step < 4; ++step) {
      run.see("y", f({run.random({3, 8})}));
    }
    f.expect_replays(2);
    f.expect_misses(Miss::Padding, 3);  // the first call of its size shows the shapes
  });
}

TEST_P(Padding, ResultsThatCannotBeCutAreNotCapturedForASmallerCall) {
  expect_same([](scenario& run) {
    const Tensor state = at::zeros({1}, run.options());
    subject f(
        run, {{"x", {B, 8}}},
        [=](tensor_list& in) {
          state.add_(1);
          return tensor_list{in[0].reshape({-1}), in[0] + state};
        },
        padded({4}));
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({3, 8})}));
      run.see("state", state);
    }
    f.expect_captures(0);
  });
}

TEST_P(Padding, PlainBackwardOfAPaddedCall) {
  expect_same([](scenario& run) {
    subject f(run, rows, [](tensor_list& in) { return tensor_list{in[0].exp() * in[1]}; }, padded({8}));
    const Tensor w = run.leaf({8});
    for (int step = 0; step < 5; ++step) {
      const Tensor x = at::arange(16, run.options()).reshape({2, 8}).requires_grad_();
      const Tensor y = f({x, w})[0];
      y.sum().backward({}, /*retain_graph=*/true);
      y.sum().backward();
      run.see_grad("x", x);
      run.see_grad("w", w);
    }
  });
}

}  // namespace padding_test
