// SPDX-License-Identifier: Apache-2.0
//
// The environment variables, which are read once in a process. With a device's name or none, this program runs itself once for each suite,
// with the suite's variable.
#include "support/device_test.h"
#include "support/json_check.h"

#include <graphed/error.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Disabled);
GRAPHED_DEVICE_TEST_SUITE(Strict);
GRAPHED_DEVICE_TEST_SUITE(Dumped);
GRAPHED_DEVICE_TEST_SUITE(Serial);
GRAPHED_DEVICE_TEST_SUITE(WrongValue);

struct suite {
  const char* name;
  const char* variable;
  const char* value;
};
constexpr suite suites[] = {
    {"Disabled", "GRAPHED_DISABLE", "1"}, {"Strict", "GRAPHED_STRICT", "1"},
    {"Verified", "GRAPHED_VERIFY", "1"},  {"VerifiedAtTimes", "GRAPHED_VERIFY", "3"},
    {"Logged", "GRAPHED_LOG", "calls"},   {"LoggedCaptures", "GRAPHED_LOG", "captures"},
    {"LoggedOff", "GRAPHED_LOG", "off"},  {"Dumped", "GRAPHED_DUMP", "environment_test_dump"},
    {"Serial", "GRAPHED_SERIAL", "1"},    {"WrongValue", "GRAPHED_VERIFY", "often"},
};

const std::vector<argument> arguments{{"x", {16, 8}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].tanh()}; }

TEST_P(Disabled, EveryCallRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, arguments, layer);
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.leaf({16, 8})}));
    }
    f.expect_misses(Miss::Disabled, 5);
    f.expect_captures(0);
  });
}

TEST_P(Strict, AMissThrows) {
  test_callable f(arguments, layer);
  EXPECT_THROW(f({at::zeros({3, 8}, at::TensorOptions(device()))}), GuardError);
}

TEST_P(Strict, AFailedCaptureThrows) {
  test_callable f(arguments, [](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
  const Tensor x = at::zeros({16, 8}, at::TensorOptions(device())).requires_grad_();
  f({x});
  f({x});
  EXPECT_THROW(f({x}), CaptureError);
}

TEST_P(Dumped, EachCaptureIsTwoFiles) {
  const std::filesystem::path folder = std::getenv("GRAPHED_DUMP");
  std::filesystem::remove_all(folder);
  test_callable f(arguments, layer);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    f({x})[0].sum().backward();
  }
  int forward = 0, backward = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream made;
    made << std::ifstream(entry.path()).rdbuf();
    const std::string text = made.str(), name = entry.path().filename().string();
    EXPECT_EQ(name.rfind("test_callable-", 0), 0U) << name;
    if (entry.path().extension() == ".json") {
      EXPECT_TRUE(json_check(text).is_document()) << text;
      EXPECT_EQ(text.rfind(R"({"nodes": [{"operator": "aten::)", 0), 0U) << text;
      EXPECT_EQ(text.find("\"kernels\"") != std::string::npos, device().is_cuda()) << text;
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(entry.path()).replace_extension(".dot"))) << name;
    } else {
      EXPECT_NE(text.find("digraph"), std::string::npos) << entry.path();
    }
    forward += name.find("-forward.") != std::string::npos ? 1 : 0;
    backward += name.find("-backward.") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(forward, 2);
  EXPECT_EQ(backward, 2);
  std::filesystem::remove_all(folder);
}

TEST_P(Serial, NoOperatorRunsBesideAnother) {
  const std::filesystem::path folder = "environment_test_serial";
  std::filesystem::remove_all(folder);
  setenv("GRAPHED_DUMP", folder.c_str(), /*overwrite=*/1);
  const auto never_fused = [](const Tensor& x) { return x.flip(0).flip(1) + x.roll(1, 0).roll(1, 1); };
  test_callable f(arguments, [&](tensor_list& in) { return tensor_list{never_fused(in[0])}; });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(at::equal(f({x})[0], never_fused(x)));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".dot") {
      continue;
    }
    std::multiset<std::string> from;
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) {
      if (const auto arrow = line.find("->"); arrow != std::string::npos) {
        from.insert(line.substr(0, arrow));
      }
    }
    const bool branches = std::any_of(from.begin(), from.end(), [&](const std::string& node) { return from.count(node) > 1; });
    EXPECT_TRUE(device().is_cpu() || (from.size() >= 5 && !branches)) << entry.path();
  }
  std::filesystem::remove_all(folder);
}

TEST_P(WrongValue, IsNamed) {
  test_callable f(arguments, layer);
  try {
    f({at::ones({16, 8}, at::TensorOptions(device()))});
    FAIL() << "no exception";
  } catch (const Error& thrown) {
    EXPECT_EQ(std::string(thrown.what()), "graphed: the environment variable GRAPHED_VERIFY: expected a number of calls, got 'often'" +
                                              link_to("reference/environment.md"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.rfind("--", 0) == 0) {
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
  }
  int failures = 0;
  for (const suite& each : suites) {
    ::setenv(each.variable, each.value, /*overwrite=*/1);
    const std::string command = std::string("'") + argv[0] + "' '--gtest_filter=" + each.name + ".*/" + (first.empty() ? "*" : first) + "'";
    failures += std::system(command.c_str()) == 0 ? 0 : 1;  // NOLINT(cert-env33-c): the program itself
    ::unsetenv(each.variable);
  }
  return failures == 0 ? 0 : 1;
}
