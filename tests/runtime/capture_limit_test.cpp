// SPDX-License-Identifier: Apache-2.0
//
// A callable whose key or closure is another one again and again: so many captures, and then the original function.
#include "support/device_test.h"

#include <graphed/error.h>

namespace capture_limit_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(CaptureLimit);

const std::vector<argument> batch{{"x", {4}}};
constexpr int64_t limit = 64;  // of a callable with one sample and one slot

settings one_slot(bool strict = false) {
  settings made;
  made.warmup = 0;
  made.slots = 1;
  made.strict = strict;
  return made;
}

TEST_P(CaptureLimit, KeysThatNeverComeAgain) {
  expect_same([](scenario& run) {
    int64_t factor = 0;
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] * factor}; }, one_slot());
    const Tensor x = run.random({4});
    for (factor = 0; factor < limit + 5; ++factor) {
      run.see("y", f({x}, Scalars().key("factor", factor)));
    }
    f.expect_captures(limit);
    f.expect_misses(Miss::CaptureLimit, 5);
    factor = 3;  // is captured
    run.see("y", f({x}, Scalars().key("factor", factor)));
    f.expect_replays(limit + 1);
  });
  EXPECT_EQ(warnings_.count({"captured 64 times, and no more", link_to("explanation/failure.md")}), 1U);
}

TEST_P(CaptureLimit, TensorsFromOutsideThatAreReplaced) {
  expect_same([](scenario& run) {
    Tensor w = run.random({4});
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] * w}; }, one_slot());
    const Tensor x = run.random({4});
    for (int64_t step = 0; step < limit + 3; ++step) {
      w.set_data(run.random({4}));
      run.see("y", f({x}));
    }
    f.expect_captures(limit);
    f.expect_misses(Miss::CaptureLimit, 3);
  });
}

// As a server does that is given other weights from time to time.
TEST_P(CaptureLimit, ReplaysEarnCaptures) {
  constexpr int64_t calls = 40;
  expect_same([](scenario& run) {
    Tensor w = run.random({4});
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] * w}; }, one_slot());
    const Tensor x = run.random({4});
    for (int64_t weights = 0; weights < 3 * limit; ++weights) {
      w.set_data(run.random({4}));
      for (int64_t call = 0; call < calls; ++call) {
        run.see("y", f({x}));
      }
    }
    f.expect_captures(3 * limit);
    f.expect_misses(Miss::CaptureLimit, 0);
  });
}

TEST_P(CaptureLimit, StrictThrowsAndResetBeginsAnew) {
  scenario run(device(), true);
  int64_t factor = 0;
  subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] * factor}; }, one_slot(/*strict=*/true));
  const Tensor x = run.random({4});
  for (factor = 0; factor < limit; ++factor) {
    f({x}, Scalars().key("factor", factor));
  }
  EXPECT_THROW(f({x}, Scalars().key("factor", factor)), GuardError);
  f.reset();
  EXPECT_TRUE(same_bits(f({x}, Scalars().key("factor", factor))[0], x * factor));
  f.expect_captures(1);
}

}  // namespace capture_limit_test
