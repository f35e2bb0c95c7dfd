// SPDX-License-Identifier: Apache-2.0
//
// Every case of cases.txt, eager and graphed, against the figures that expected.py makes on this machine: bit for bit, step by step.
#include "support/device_test.h"
#include "support/expected.h"
#include "support/trainer.h"

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

constexpr int64_t steps = 1000;

class Python : public device_test {
 protected:
  /// Runs a case and compares after each step.
  void run(const optimizer_case& which, bool graphed) {
    SCOPED_TRACE(which.name + (graphed ? ", graphed" : ", eager"));
    const figures& expected = figures::of(device());
    const Tensor gradients = expected[which.has("scaler") ? "overflowing" : "gradients"].to(device());
    trainer trained(which, expected["initial"], device());
    const scenario run(device(), graphed);
    subject step(run, {{"gradients", {elements}}}, [&](tensor_list& in) { return tensor_list{trained.step(in[0])}; });
    for (int64_t i = 0; i < steps; ++i) {
      trained.set_rates(rate_of(which.get("lr", 0), i));
      const Tensor norm = step({gradients[i].clone()})[0];  // aligned, as a row is not
      ASSERT_TRUE(same_bits(trained.parameters(), expected[which.name + "/parameters"][i])) << "parameters after step " << i;
      if (which.has("clip")) {
        ASSERT_TRUE(same_bits(norm.to(at::kCPU), expected[which.name + "/norm"][i])) << "norm of step " << i;
      }
      if (which.has("scaler")) {
        ASSERT_EQ(trained.scaler().get_scale(), expected[which.name + "/scale"][i].item<double>()) << "scale after step " << i;
      }
    }
    step.expect_captures(1);
    step.expect_replays(steps - 2);
  }
};
INSTANTIATE_TEST_SUITE_P(, Python, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

TEST_P(Python, Eager) {
  ASSERT_FALSE(all_cases().empty());
  for (const auto& which : all_cases()) {
    run(which, /*graphed=*/false);
  }
}

TEST_P(Python, Graphed) {
  ASSERT_FALSE(all_cases().empty());
  for (const auto& which : all_cases()) {
    run(which, /*graphed=*/true);
  }
}

// Other operators, so other roundings: each element within 1e-4 of its value, or of 1 where that is smaller, after 1,000 steps in float32.
TEST_P(Python, LiveNumbersWithinRounding) {
  for (auto which : all_cases()) {
    SCOPED_TRACE(which.name);
    const figures& expected = figures::of(device());
    const Tensor gradients = expected[which.has("scaler") ? "overflowing" : "gradients"].to(device());
    which.settings["live"] = 1;
    trainer trained(which, expected["initial"], device());
    for (int64_t i = 0; i < steps; ++i) {
      trained.set_rates(rate_of(which.get("lr", 0), i));
      trained.step(gradients[i]);
    }
    const Tensor python = expected[which.name + "/parameters"][steps - 1];
    const Tensor difference = (trained.parameters() - python).abs() / python.abs().clamp_min(1);
    EXPECT_LT(difference.max().item<float>(), 1e-4);
  }
}

}  // namespace
