// SPDX-License-Identifier: Apache-2.0
//
// graphed::DisableGuard: eager calls for a while, on one thread.
#include "support/device_test.h"

#include <graphed/disable.h>

#include <optional>
#include <thread>

namespace disable_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Disable);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};
tensor_list product(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

TEST_P(Disable, CallsInsideRunPlainly) {
  expect_same([](scenario& run) {
    subject f(run, arguments, product);
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 12; ++step) {
      std::optional<DisableGuard> off;
      if (step % 3 == 2) {
        off.emplace();
      }
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_misses(Miss::Disabled, 4);
    f.expect_replays(6, 6);
    f.expect_captures(1);
  });
}

TEST_P(Disable, NestsAndEnds) {
  EXPECT_FALSE(is_disabled());
  {
    const DisableGuard outer;
    {
      const DisableGuard inner;
      EXPECT_TRUE(is_disabled());
    }
    EXPECT_TRUE(is_disabled());
  }
  EXPECT_FALSE(is_disabled());
}

TEST_P(Disable, OtherThreadsGoOn) {
  const DisableGuard off;
  bool elsewhere = true;
  std::thread([&] { elsewhere = is_disabled(); }).join();
  EXPECT_FALSE(elsewhere);
}

TEST_P(Disable, TheBackwardOfAnEarlierCallIsStillAGraph) {
  expect_same([](scenario& run) {
    subject f(run, arguments, product);
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      const DisableGuard off;
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_misses(Miss::Disabled, 0);
    f.expect_replays(4, 4);
  });
}

}  // namespace disable_test
