// SPDX-License-Identifier: Apache-2.0
//
// The environment variables, which are read once in a process: run with a device's name or none, this program runs itself once for each
// suite, with the variable that it is about.
#include "support/device_test.h"
#include "support/log_lines.h"

#include <graphed/error.h>

#include <torch/optim/adam.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Disabled);
GRAPHED_DEVICE_TEST_SUITE(Strict);
GRAPHED_DEVICE_TEST_SUITE(Verified);
GRAPHED_DEVICE_TEST_SUITE(VerifiedAtTimes);
GRAPHED_DEVICE_TEST_SUITE(Logged);
GRAPHED_DEVICE_TEST_SUITE(LoggedCaptures);
GRAPHED_DEVICE_TEST_SUITE(LoggedOff);
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
    f.expect_misses(miss::disabled, 5);
    f.expect_captures(0);
  });
}

TEST_P(Strict, AMissThrows) {
  test_callable f(arguments, layer);
  EXPECT_THROW(f({at::zeros({3, 8}, at::TensorOptions(device()))}), guard_error);
}

TEST_P(Strict, AFailedCaptureThrows) {
  test_callable f(arguments, [](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
  const Tensor x = at::zeros({16, 8}, at::TensorOptions(device())).requires_grad_();
  f({x});
  f({x});
  EXPECT_THROW(f({x}), capture_error);
}

TEST_P(Verified, RightCallablesHaveNoDifference) {
  expect_same([](scenario& run) {
    const Tensor mean = at::zeros({8}, run.options()), variance = at::ones({8}, run.options());
    subject f(run, arguments, [=](tensor_list& in) {
      const Tensor normal = at::batch_norm(in[0], {}, {}, mean, variance, /*training=*/true, 0.1, 1e-5, /*cudnn_enabled=*/false);
      return tensor_list{at::dropout(normal, 0.5, /*train=*/true), normal};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({16, 8});
      const auto y = f({x});
      run.see("y", y);
      (y[0] * y[1]).sum().backward();
      run.see_grad("x", x);
      run.see("mean", mean);
      run.see("random", run.random({2}));
    }
    if (run.graphed()) {
      EXPECT_EQ(f.stats().verified, 6U) << f.stats();
      EXPECT_EQ(f.stats().differences, 0U) << f.stats();
    }
  });
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Verified, AFrozenNumberIsADifference) {
  double factor = 1;
  test_callable f(arguments, [&](tensor_list& in) { return tensor_list{in[0] + 1, in[0] * factor}; });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int step = 0; step < 5; ++step) {
    factor = std::max(step, 2);
    f({x});
  }
  EXPECT_EQ(f.stats().differences, 2U) << f.stats();  // the capture is the third call
  EXPECT_EQ(
      warnings_.count({"test_callable (test.cpp:1): GRAPHED_VERIFY: result 1 differs at element 0 of shape [16, 8]: plain 3, graphed 2"}),
      1U)
      << warnings_.all();
}

// One warning for a result, whatever its numbers are, which tells last bits apart.
TEST_P(Verified, DifferencesOfAResultAreToldOnceWithAllDigits) {
  double factor = 1;
  test_callable f({{"x", {4}}}, [&](tensor_list& in) { return tensor_list{in[0] * factor}; });
  for (int step = 0; step < 8; ++step) {
    factor = step < 3 ? 1 : 1 + 1.2e-7 * (step - 2);
    f({at::ones({4}, at::TensorOptions(device()))});
  }
  EXPECT_EQ(f.stats().differences, 5U) << f.stats();
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY"}), 1U) << warnings_.all();
  EXPECT_EQ(
      warnings_.count({"result 0 differs at element 0 of shape [4]: plain 1.00000012, graphed 1; the largest difference is 1.19209e-07"}),
      1U)
      << warnings_.all();
}

settings padded_to_eight() {
  settings chosen;
  chosen.sizes = {8};
  chosen.pad = pad_fill::zero;
  return chosen;
}

// The last bits of a padded call may be others, in results, gradients and what is written. Other things may not.
TEST_P(Verified, LastBitsOfAPaddedCallAreNoDifference) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    const double last_bit = dtype == at::kFloat ? 0x1p-23 : dtype == at::kDouble ? 0x1p-52 : dtype == at::kHalf ? 0x1p-10 : 0x1p-7;
    const Tensor w = at::ones({4}, at::TensorOptions(device()).dtype(dtype)).requires_grad_();
    test_callable f(
        {{"x", {B, 4}, dtype, true}},
        [&](tensor_list& in) {
          const double size = in[0].size(0) == 8 ? 1 + 2 * last_bit : 1;
          return tensor_list{in[0] * size * w};
        },
        padded_to_eight());
    for (int step = 0; step < 6; ++step) {
      const Tensor x = at::ones({5, 4}, at::TensorOptions(device()).dtype(dtype)).requires_grad_();
      f({x})[0].sum().backward();
    }
    EXPECT_GE(f.stats().verified, 6U) << f.stats();
    EXPECT_EQ(f.stats().differences, 0U) << f.stats();
  }
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(Verified, WrongPaddingIsADifferenceThatIsToldOnce) {
  test_callable f({{"x", {B, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * 2, in[0] - in[0].mean(0)}; }, padded_to_eight());
  for (int step = 0; step < 8; ++step) {
    f({at::full({5, 4}, 1.0 + step, at::TensorOptions(device()))});
  }
  EXPECT_GE(f.stats().differences, 3U) << f.stats();
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY"}), 1U) << warnings_.all();
  EXPECT_EQ(warnings_.count({"result 1 differs at element 0 of shape [5, 4]: plain 0, graphed ", "; the largest difference is "}), 1U)
      << warnings_.all();
}

TEST_P(Verified, WrongNumbersThatAreNotFiniteAreDifferences) {
  test_callable f({{"x", {B, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] / (8 - in[0].size(0))}; }, padded_to_eight());
  for (int step = 0; step < 5; ++step) {
    f({at::ones({5, 4}, at::TensorOptions(device()))});
  }
  EXPECT_EQ(warnings_.count({"plain 0.333333343, graphed inf; see"}), 1U) << warnings_.all();
}

// The call that throws has its slot no more, and no call after it has it twice.
TEST_P(Verified, AStrictCallThatDiffersFreesItsSlotOnce) {
  double factor = 1;
  test_callable f(arguments, [&](tensor_list& in) { return tensor_list{in[0] * factor}; }, {2, output_policy::keep, /*strict=*/true, 1});
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int step = 0; step < 3; ++step) {
    f({x});
  }
  factor = 2;
  EXPECT_THROW(f({x}), verify_error);
  factor = 1;
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(same_bits(f({x})[0].detach(), x.detach()));
  }
  EXPECT_EQ(f.misses(miss::slots), 0U) << f.stats();
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
}

TEST_P(Verified, AGradientThatDiffers) {
  double factor = 1;
  test_callable f(arguments, [&](tensor_list& in) {
    const double now = factor;
    const Tensor y = in[0] * 1;
    if (y.requires_grad()) {
      y.register_hook([now](const Tensor& gradient) { return gradient * now; });
    }
    return tensor_list{y * 1};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int step = 0; step < 4; ++step) {
    factor = step;
    f({x})[0].sum().backward();
  }
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: in the backward, the gradient of argument 'x' differs at element 0"}), 1U) << warnings_.all();
}

TEST_P(Verified, AStateThatDiffers) {
  const Tensor state = at::zeros({4}, at::TensorOptions(device()));
  double step = 0;
  test_callable f(arguments, [&](tensor_list& in) {
    state.add_(step);
    return tensor_list{in[0] * 2};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    step = std::max(call, 2);
    f({x});
  }
  EXPECT_EQ(warnings_.count({"a tensor from outside that it writes, of shape [4] differs at element 0 of shape [4]: plain 9, graphed 8"}),
            1U)
      << warnings_.all();
  EXPECT_EQ(state[0].item<float>(), 8);  // as the graph leaves it: what the comparison did is put back
}

TEST_P(Verified, AnArgumentThatDiffers) {
  double step = 0;
  test_callable f({{"x", {16, 8}}, {"total", {4}, at::kFloat, false, /*inplace=*/true}}, [&](tensor_list& in) {
    in[1].add_(step);
    return tensor_list{in[0] * 2};
  });
  const auto options = at::TensorOptions(device());
  const Tensor x = at::ones({16, 8}, options), total = at::zeros({4}, options);
  for (int call = 0; call < 4; ++call) {
    step = std::max(call, 2);
    f({x, total});
  }
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: argument 'total' differs at element 0 of shape [4]: plain 9, graphed 8"}), 1U)
      << warnings_.all();
  EXPECT_TRUE(same_bits(total, at::full({4}, 8.0, options)));  // as the graph leaves it
}

TEST_P(Verified, ARandomStateThatDiffers) {
  int draws = 0;
  test_callable f(arguments, [&](tensor_list& in) {
    for (int i = 0; i < draws; ++i) {
      at::rand_like(in[0]);
    }
    return tensor_list{in[0] * 2};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    draws = std::max(call, 2);
    f({x});
  }
  EXPECT_EQ(f.stats().differences, 1U) << f.stats();
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: the random state differs at element"}), 1U) << warnings_.all();
}

TEST_P(Verified, ACallableThatThrowsOnTheHost) {
  bool broken = false;
  test_callable f(arguments, [&](tensor_list& in) {
    if (broken) {
      throw std::runtime_error("broken");
    }
    return layer(in);
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    broken = call == 3;
    f({x});
  }
  EXPECT_EQ(warnings_.count({"GRAPHED_VERIFY: the plain callable throws: broken"}), 1U) << warnings_.all();
}

// A replay copies an argument of which the plain callable reads four elements.
TEST_P(Verified, CallsThatAreComparedAreNotTimed) {
  constexpr int64_t large = int64_t{1} << 22;
  test_callable f({{"x", {large}}}, [](tensor_list& in) { return tensor_list{in[0].narrow(0, 0, 4) + 1}; });
  const Tensor x = at::ones({large}, at::TensorOptions(device()));
  for (int call = 0; call < 80; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], at::full({4}, 2.0, x.options())));
  }
  EXPECT_EQ(f.stats().replays, 78U) << f.stats();
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(VerifiedAtTimes, TheFirstNAndEveryNth) {
  test_callable f(arguments, layer);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device()));
  const c10::AutoGradMode no_grad(false);
  for (int call = 0; call < 2 + 10; ++call) {
    f({x});
  }
  EXPECT_EQ(f.stats().verified, 3U + 2U) << f.stats();  // of the nine after the capture: 0, 1, 2, and 3, 6
}

// What three calls that fit and one that does not write to standard error.
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
       {"warms up\n", "captured the forward in ", "captured the backward in ", "replays\n", "runs plainly: shape of 'x'\n"}) {
    EXPECT_NE(lines.find(name + expected), std::string::npos) << expected << " is not in:\n" << lines;
  }
}

TEST_P(Logged, AHandlerTakesEachLine) {
  const collected_lines lines;
  EXPECT_EQ(lines_of_four_calls(device()), "");
  const std::string name = "graphed: test_callable (test.cpp:1): ";
  EXPECT_EQ(lines.count(log_level::calls, name + "warms up"), 2U);
  EXPECT_EQ(lines.count(log_level::captures, name + "captured the forward in "), 1U);
  EXPECT_EQ(lines.count(log_level::captures, name + "captured the backward in "), 1U);
  EXPECT_EQ(lines.count(log_level::calls, name + "replays"), 1U);
  EXPECT_EQ(lines.count(log_level::calls, name + "runs plainly: shape of 'x'"), 1U);
  EXPECT_EQ(lines.count(log_level::warnings, name + "parameter 'x'"), 1U);
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

TEST_P(Dumped, EachCaptureIsAFile) {
  const std::filesystem::path folder = std::getenv("GRAPHED_DUMP");
  std::filesystem::remove_all(folder);
  test_callable f(arguments, layer);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    f({x})[0].sum().backward();
  }
  int forward = 0, backward = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_NE(text.str().find("digraph"), std::string::npos) << entry.path();
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(name.rfind("test_callable-", 0), 0U) << name;
    forward += name.find("-forward.dot") != std::string::npos ? 1 : 0;
    backward += name.find("-backward.dot") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(forward, 1);
  EXPECT_EQ(backward, 1);
  std::filesystem::remove_all(folder);
}

TEST_P(Serial, NoOperatorRunsBesideAnother) {
  const std::filesystem::path folder = "environment_test_serial";
  std::filesystem::remove_all(folder);
  setenv("GRAPHED_DUMP", folder.c_str(), /*overwrite=*/1);
  test_callable f(arguments, [](tensor_list& in) { return tensor_list{in[0].sin().tan() + in[0].cos().exp()}; });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device())).requires_grad_();
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(at::equal(f({x})[0], x.sin().tan() + x.cos().exp()));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
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
  } catch (const error& thrown) {
    EXPECT_EQ(std::string(thrown.what()),
              "graphed: the environment variable GRAPHED_VERIFY: expected a number of calls, got 'often'" + link_to("environment.md"));
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
