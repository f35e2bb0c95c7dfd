// SPDX-License-Identifier: Apache-2.0
//
// What captures would hold, by captures that are not kept.
#include "support/device_test.h"

#include <graphed/error.h>
#include <graphed/estimate.h>

#include <sstream>

namespace estimate_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Estimate);

const std::vector<argument> arguments{{"x", {B, 8}}, {"w", {8, 4}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

settings two_sizes() {
  settings made;
  made.sizes = {16, 64};
  return made;
}

TEST_P(Estimate, IsWhatCapturesHoldThen) {
  const scenario run(device(), true);
  test_callable f(arguments, layer, two_sizes());
  const tensor_list given{run.random({16, 8}), run.leaf({8, 4})};
  const graphed::Estimate expected = f.estimate(given);
  EXPECT_EQ(f.stats().captures, 0U);
  EXPECT_EQ(f.stats().bytes_held, 0U);
  ASSERT_EQ(expected.captures.size(), 2U);
  f.prepare(given);
  EXPECT_EQ(f.stats().bytes_held, expected.bytes_held());
  EXPECT_EQ(f.estimate(given).bytes_held(), expected.bytes_held()) << "the captures that are there change nothing";
}

TEST_P(Estimate, OfEachSize) {
  const scenario run(device(), true);
  test_callable f(arguments, layer, two_sizes());
  const graphed::Estimate estimate = f.estimate({run.random({16, 8}), run.leaf({8, 4})});
  ASSERT_EQ(estimate.captures.size(), 2U);
  uint64_t rows = 16;
  for (const auto& capture : estimate.captures) {
    EXPECT_EQ(capture.bytes_of_inputs, (rows * 8 + 8 * 4) * sizeof(float));
    EXPECT_EQ(capture.bytes_of_results, rows * 4 * sizeof(float));
    EXPECT_GE(capture.bytes_held, capture.bytes_of_inputs + capture.bytes_of_results);
    EXPECT_EQ(capture.bytes_of_workspaces != 0, device().is_cuda());
    rows = 64;
  }
  EXPECT_NE(estimate.captures[0].key, estimate.captures[1].key);
}

TEST_P(Estimate, LeavesNoTrace) {
  expect_same([](scenario& run) {
    const Tensor total = run.random({8}), w = run.leaf({8});
    test_callable f({{"x", {8}, at::kFloat, false, /*inplace=*/true}}, [=](tensor_list& in) {
      total.add_(in[0]);
      in[0].mul_(2);
      return tensor_list{at::dropout(in[0] * w * total, 0.5, /*train=*/true)};
    });
    const Tensor x = run.random({8});
    if (run.graphed()) {
      EXPECT_EQ(f.estimate({x}).captures.size(), 1U);
      EXPECT_EQ(f.stats().calls, 0U);
    }
    run.see("x", x);
    run.see("total", total);
    run.see("grad is undefined", !w.grad().defined());
    run.see("random", run.random({4}));
  });
}

TEST_P(Estimate, OfASharedPoolIsThatOfAPoolOfItsOwn) {
  const scenario run(device(), true);
  settings shared;
  shared.pool = "estimate_test";
  test_callable alone({{"x", {256}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  test_callable first({{"x", {256}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; }, shared);
  const Tensor x = run.random({256});
  first.prepare({x});
  EXPECT_EQ(first.estimate({x}).bytes_held(), alone.estimate({x}).bytes_held());
}

TEST_P(Estimate, FailsAsACaptureDoes) {
  const scenario run(device(), true);
  test_callable f({{"x", {8}}}, [](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
  EXPECT_THROW(f.estimate({run.random({8})}), CaptureError);
  EXPECT_THROW(f.estimate({run.random({9})}), GuardError);
  EXPECT_EQ(f.stats().failed_captures, 0U) << "those of an estimate are not counted";
}

TEST(EstimateText, NamesEachCaptureAndAll) {
  graphed::Estimate estimate;
  std::ostringstream none, two;
  none << estimate;
  EXPECT_EQ(none.str(), "0 captures: 0 B, workspaces 0 B\n");
  estimate.captures = {{"B = 64", 4096, 2048, 1024, 512}, {"", 1024, 512, 0, 8192}};
  two << estimate;
  EXPECT_EQ(two.str(),
            "B = 64: 4.0 KiB, of them inputs 2.0 KiB, results 1.0 KiB\n"
            "captures: 1.0 KiB, of them inputs 512 B, results 0 B\n"
            "2 captures: 5.0 KiB, workspaces 8.0 KiB\n");
  std::ostringstream pinned;
  estimate.captures[0].bytes_pinned = 1024;
  estimate.captures[1].bytes_pinned = 512;
  pinned << estimate;
  EXPECT_NE(pinned.str().find("2 captures: 5.0 KiB, workspaces 8.0 KiB, pinned 1.5 KiB\n"), std::string::npos) << pinned.str();
}

}  // namespace estimate_test
