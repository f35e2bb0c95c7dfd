// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED_LOG: environment_test.cpp runs each suite with a value of it.
#include "support/device_test.h"
#include "support/log_lines.h"

#include <algorithm>
#include <regex>
#include <string>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Logged);
GRAPHED_DEVICE_TEST_SUITE(LoggedCaptures);
GRAPHED_DEVICE_TEST_SUITE(LoggedOff);

const std::vector<argument> arguments{{"x", {16, 8}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].tanh()}; }

// What three calls that match and one that does not write to standard error.
std::string lines_of_four_calls(c10::Device device) {
  test_callable f(arguments, layer);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device)).requires_grad_();
  ::testing::internal::CaptureStderr();
  for (int call = 0; call < 3; ++call) {
    f({x})[0].sum().backward();
  }
  f({at::ones({2}, at::TensorOptions(device))});
  return ::testing::internal::GetCapturedStderr();
}

TEST_P(Logged, EachCallAndCapture) {
  const std::string lines = lines_of_four_calls(device());
  const std::string name = "graphed: test_callable (test.cpp:1): ";
  for (const char* expected :
       {"warms up\n", "captured the forward in ", "captured the backward in ", "replays\n", "runs the original function: shape of 'x'\n"}) {
    EXPECT_NE(lines.find(name + expected), std::string::npos) << expected << " is not in:\n" << lines;
  }
}

TEST_P(Logged, AHandlerTakesEachLine) {
  const collected_lines lines;
  EXPECT_EQ(lines_of_four_calls(device()), "");
  const std::string name = "graphed: test_callable (test.cpp:1): ";
  EXPECT_EQ(lines.count(LogLevel::Calls, name + "warms up"), 2U);
  EXPECT_EQ(lines.count(LogLevel::Captures, name + "captured the forward in "), 1U);
  EXPECT_EQ(lines.count(LogLevel::Captures, name + "captured the backward in "), 1U);
  EXPECT_EQ(lines.count(LogLevel::Calls, name + "replays"), 1U);
  EXPECT_EQ(lines.count(LogLevel::Calls, name + "runs the original function: shape of 'x'"), 1U);
  EXPECT_EQ(lines.count(LogLevel::Warnings, name + "parameter 'x'"), 1U);
  EXPECT_EQ(lines.all().size(), 7U);
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(LoggedCaptures, NamesNoCalls) {
  const std::string lines = lines_of_four_calls(device());
  EXPECT_TRUE(std::regex_search(lines, std::regex("captured the forward in [0-9.]+ (us|ms|s), holds [0-9.]+ (B|KiB|MiB)\n"))) << lines;
  EXPECT_NE(lines.find("captured the forward in "), std::string::npos) << lines;
  EXPECT_NE(lines.find("captured the backward in "), std::string::npos) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2) << lines;
  EXPECT_EQ(warnings_.count({"parameter 'x'"}), 1U) << warnings_.all();
}

TEST_P(LoggedOff, WarnsOfNothing) {
  EXPECT_EQ(lines_of_four_calls(device()), "");
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(LoggedOff, AHandlerTakesNothing) {
  const collected_lines lines;
  lines_of_four_calls(device());
  EXPECT_EQ(lines.all().size(), 0U);
}

}  // namespace
