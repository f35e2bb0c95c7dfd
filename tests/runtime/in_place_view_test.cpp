// SPDX-License-Identifier: Apache-2.0
//
// Arguments that the callable writes and that are views of another tensor, in grad mode.
#include "support/device_test.h"

namespace in_place_view_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(InPlaceView);

const argument written{"x", {16, 8}, at::kFloat, false, true};

TEST_P(InPlaceView, WithoutGradientsIsReplayed) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"y", {16, 8}}}, [](tensor_list& in) {
      in[0].mul_(in[1]);
      return tensor_list{in[0] * 2};
    });
    Tensor x = run.random({3, 16, 8});
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({x[1], run.random({16, 8})}));
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

// Its base's history would have to be a part of the node. That the gradients are eager's shows that the original function runs.
TEST_P(InPlaceView, WithAHistoryRunsPlainly) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8});
    subject f(run, {written}, [&](tensor_list& in) {
      in[0].mul_(w);
      return tensor_list{in[0] * 2};
    });
    for (int step = 0; step < 8; ++step) {
      const Tensor base = run.random({3, 16, 8});
      const Tensor x = step % 2 == 0 ? base[1] : base[1].clone();
      const Tensor y = f({x})[0];
      (y.sum() + x.square().sum() + base.exp().sum()).backward();
      run.see_grad("w", w);
      run.see("x", x);
    }
    f.expect_misses(Miss::Overlap, 3);
  });
}

// The weight is frozen in the warm-ups and in the first captured calls.
TEST_P(InPlaceView, ThatGetsAHistoryLaterRunsPlainly) {
  for (const bool is_later_view : {false, true}) {
    expect_same([&](scenario& run) {
      const Tensor w = run.random({8});
      subject f(run, {written}, [&](tensor_list& in) {
        in[0].mul_(w);
        return tensor_list{in[0] * 2};
      });
      for (int step = 0; step < 10; ++step) {
        const Tensor base = run.random({3, 16, 8});
        w.requires_grad_(step >= 5);
        const bool is_view = step < 5 || (step % 2 == 0) == is_later_view;
        const Tensor x = is_view ? base[1] : base[1].clone();
        const Tensor y = f({x})[0];
        if (step >= 5) {
          (y.sum() + x.square().sum() + base.exp().sum()).backward();
          run.see("w.grad", w.grad());
        }
        run.see("x", x);
        run.see("base", base);
      }
      if (is_later_view) {
        f.expect_misses(Miss::Overlap, 2);
      } else {
        f.expect_misses(Miss::CaptureFailed, 1);
      }
    });
  }
}

}  // namespace in_place_view_test
