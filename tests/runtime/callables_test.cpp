// SPDX-License-Identifier: Apache-2.0
//
// All callables of the process: one table, one reset.
#include "support/device_test.h"

#include <graphed/callables.h>

#include <sstream>

namespace callables_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(AllCallables);

TEST_P(AllCallables, AreListedWhileTheyLive) {
  const std::size_t before = stats_all().rows.size();
  {
    scenario run(device(), true);
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    subject g(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].relu()}; });
    for (int step = 0; step < 5; ++step) {
      f({run.random({16, 8})});
    }
    g({run.random({16, 8})});
    const auto rows = stats_all().rows;
    ASSERT_EQ(rows.size(), before + 2);
    EXPECT_EQ(rows[before].name, "test_callable");
    EXPECT_EQ(rows[before].file, "test.cpp");
    EXPECT_EQ(rows[before].line, 1);
    EXPECT_EQ(rows[before].stats.calls, 5U);
    EXPECT_EQ(rows[before].stats.replays, 3U);
    EXPECT_EQ(rows[before + 1].stats.calls, 1U);
  }
  EXPECT_EQ(stats_all().rows.size(), before);
}

TEST_P(AllCallables, AreResetAtOnce) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; });
    subject g(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].relu()}; });
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 12; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      if (run.graphed() && step == 5) {
        reset_all();  // between a forward and its backward
      }
      y.sum().backward();
      run.see_grad("w.grad", w);
      run.see("g", g({run.random({16, 8})}));
    }
    f.expect_captures(1);
    f.expect_replays(4, 5);
    g.expect_captures(1);
    g.expect_replays(5);
  });
}

TEST(StatisticsTable, Golden) {
  Statistics policy;
  policy.calls = 12;
  policy.warmups = 3;
  policy.replays = 7;
  policy.backward_replays = 6;
  policy.captures = 1;
  policy.backward_captures = 1;
  policy.failed_captures = 5;
  policy.bytes_held = 8192;
  policy.misses[static_cast<std::size_t>(Miss::Shape)] = 2;
  Statistics value;
  value.calls = 100;
  value.replays = 100;
  value.bytes_held = 1000;
  std::ostringstream text;
  text << StatisticsTable{{{"app::policy", "policy.h", 7, policy}, {"f", "policy.h", 9, value}}};
  EXPECT_EQ(text.str(),
            "callable          calls    warm-ups     replays    backward      misses    captures      failed  bytes held\n"
            "app::policy          12           3           7           6           2           2           5     8.0 KiB\n"
            "f                   100           0         100           0           0           0           0      1000 B\n"
            "all                 112           3         107           6           2           2           5     9.0 KiB\n");
}

TEST(StatisticsTable, OfNothing) {
  std::ostringstream text;
  text << StatisticsTable{};
  EXPECT_EQ(text.str(),
            "callable       calls    warm-ups     replays    backward      misses    captures      failed  bytes held\n"
            "all                0           0           0           0           0           0           0         0 B\n");
}

}  // namespace callables_test
