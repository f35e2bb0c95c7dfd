// SPDX-License-Identifier: Apache-2.0
//
// What the statistics count, and how they are printed.
#include "support/device_test.h"

#include <sstream>

namespace stats_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Stats);

TEST_P(Stats, CountEveryCallOnce) {
  scenario run(device(), true);
  subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; }, {3});
  const Tensor w = run.leaf({8, 4});
  for (int step = 0; step < 8; ++step) {
    f({run.random({16, 8}), w})[0].sum().backward();
  }
  for (int step = 0; step < 2; ++step) {
    f({run.random({3, 8}), w});
  }
  const Statistics stats = f.stats();
  EXPECT_EQ(stats.calls, 10U);
  EXPECT_EQ(stats.warmups, 3U);
  EXPECT_EQ(stats.replays, 5U);
  EXPECT_EQ(stats.backward_replays, 5U);
  EXPECT_EQ(stats.captures, 1U);
  EXPECT_EQ(stats.backward_captures, 1U);
  EXPECT_EQ(stats.failed_captures, 0U);
  EXPECT_EQ(stats.miss_count(), 2U);
  EXPECT_EQ(stats.misses_by_parameter, (std::map<std::string, uint64_t>{{"x: shape", 2}}));
  EXPECT_GE(stats.bytes_staged, 5U * (16 * 8 + 8 * 4) * sizeof(float));
  EXPECT_GE(stats.bytes_held, (16 * 8 + 8 * 4 + 16 * 4) * sizeof(float));
  EXPECT_GT(stats.capture_microseconds, 0);
}

TEST_P(Stats, StagedBytesGrowByTheInputsOnEachCall) {
  scenario run(device(), true);
  subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  for (int step = 0; step < 4; ++step) {
    f({run.random({16, 8})});
  }
  const auto before = f.stats().bytes_staged;
  f({run.random({16, 8})});
  EXPECT_EQ(f.stats().bytes_staged - before, 16U * 8U * sizeof(float));
}

TEST_P(Stats, ResetStartsAnew) {
  scenario run(device(), true);
  subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  for (int step = 0; step < 5; ++step) {
    f({run.random({16, 8})});
  }
  f.reset();
  const Statistics stats = f.stats();
  EXPECT_EQ(stats.calls, 0U);
  EXPECT_EQ(stats.replays, 0U);
  EXPECT_EQ(stats.bytes_held, 0U);
  for (int step = 0; step < 5; ++step) {
    f({run.random({16, 8})});
  }
  f.expect_replays(3);
  f.expect_captures(1);
}

TEST(StatisticsText, Golden) {
  Statistics stats;
  stats.calls = 12;
  stats.warmups = 3;
  stats.replays = 7;
  stats.backward_replays = 6;
  stats.captures = 1;
  stats.backward_captures = 1;
  stats.failed_captures = 2;
  stats.capture_failures["the capture failed at operator aten::equal: it reads"] = 2;
  stats.fused_operators = 21;
  stats.fused_kernels = 2;
  stats.kept_outputs = 4;
  stats.bytes_moved = 2048;
  stats.bytes_staged = 37888;
  stats.bytes_held = 3 << 19;
  stats.capture_microseconds = 14561.8;
  stats.misses[static_cast<std::size_t>(Miss::Shape)] = 2;
  stats.misses_by_parameter["x: shape"] = 2;
  std::ostringstream text;
  text << stats;
  EXPECT_EQ(text.str(),
            "calls 12: warm-ups 3, replays 7, misses 2\n"
            "  shape: 2\n"
            "  x: shape: 2\n"
            "backward replays 6\n"
            "captures 1 forward, 1 backward, 2 failed, 14.6 ms\n"
            "  the capture failed at operator aten::equal: it reads: 2\n"
            "fused 21 operators into 2 kernels\n"
            "bytes staged 37.0 KiB, held 1.5 MiB, outputs moved 4, 2.0 KiB\n");
  stats.bytes_pinned = 2048;
  std::ostringstream pinned;
  pinned << stats;
  EXPECT_NE(pinned.str().find("held 1.5 MiB, pinned 2.0 KiB, outputs moved 4"), std::string::npos) << pinned.str();
}

TEST(StatisticsText, EveryReasonHasAName) {
  const std::map<Miss, std::string> names{{Miss::Dtype, "dtype"},
                                          {Miss::Shape, "shape"},
                                          {Miss::Strides, "strides"},
                                          {Miss::Alignment, "alignment"},
                                          {Miss::Device, "device"},
                                          {Miss::RequiresGrad, "requires_grad"},
                                          {Miss::Undefined, "undefined"},
                                          {Miss::ListLength, "list_length"},
                                          {Miss::Sizes, "sizes"},
                                          {Miss::Address, "address"},
                                          {Miss::Padding, "padding"},
                                          {Miss::InferenceTensor, "inference_tensor"},
                                          {Miss::Overlap, "overlap"},
                                          {Miss::Slots, "slots"},
                                          {Miss::CaptureFailed, "capture_failed"},
                                          {Miss::CaptureBusy, "capture_busy"},
                                          {Miss::CaptureLimit, "capture_limit"},
                                          {Miss::Disabled, "disabled"},
                                          {Miss::Nested, "nested"},
                                          {Miss::NewKey, "new_key"}};
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Miss::NumReasons));
  for (const auto& [reason, name] : names) {
    EXPECT_EQ(to_string(reason), name);
  }
  EXPECT_STREQ(to_string(Miss::NumReasons), "unknown");
}

}  // namespace stats_test
