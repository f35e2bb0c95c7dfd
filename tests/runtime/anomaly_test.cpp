// SPDX-License-Identifier: Apache-2.0
//
// Anomaly mode, which looks for NaN on the host: it names the node that gave one, and leaves no trace once it is off.
#include "support/device_test.h"

#include <graphed/error.h>

#include <torch/csrc/autograd/anomaly_mode.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

namespace anomaly_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Anomaly);

using anomaly_mode = torch::autograd::DetectAnomalyGuard;

/// 'a': in anomaly mode; 'n': without it; 'A': in it, with an argument of which the gradient is NaN.
template <class F>
void for_each_call(const scenario& run, const std::string& modes, F&& call) {
  for (const char mode : modes) {
    const auto searching = mode == 'n' ? nullptr : std::make_unique<anomaly_mode>();
    const Tensor x = run.random({4}).abs() + 1;
    call(mode == 'A' ? -x : x);
  }
}

uint64_t count_of(const std::string& modes, char mode) { return static_cast<uint64_t>(std::count(modes.begin(), modes.end(), mode)); }

TEST_P(Anomaly, BackwardsAreEagersAndNoOthers) {
  const std::string warm_ups = "an", later = "aAnnAannn";
  expect_same([&](scenario& run) {
    const Tensor w = at::ones({4}, run.options()).requires_grad_();
    subject f(run, {{"x", {4}}, {"w", {4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{(in[0] * in[1]).sqrt()}; });
    for_each_call(run, warm_ups + later, [&](const Tensor& x) {
      const Tensor y = f({x, w})[0];
      run.see_error("backward", [&] { y.sum().backward(); });
      run.see_grad("w.grad", w);
    });
    f.expect_replays(later.size(), count_of(later, 'n'));
    if (run.graphed()) {
      EXPECT_EQ(f.stats().failed_captures, 0U) << f.stats();
    }
  });
  EXPECT_EQ(warnings_.count({"test_callable", "in its backward anomaly mode looks for NaN", link_to("explanation/failure.md")}), 1U)
      << warnings_.all();
}

TEST_P(Anomaly, StepsAreEagersAndNoOthers) {
  const std::string warm_ups = "nn", later = "aAannnAann";
  expect_same([&](scenario& run) {
    const Tensor w = at::ones({4}, run.options()).requires_grad_();
    settings of_a_step;
    of_a_step.step = true;
    const auto train = [&](tensor_list& in) {
      w.mutable_grad().reset();
      const Tensor loss = (in[0] * w).sqrt().sum();
      loss.backward();
      const c10::NoGradGuard no_grad;
      w.sub_(w.grad() * 0.01);
      return tensor_list{loss.detach()};
    };
    subject step(run, {{"x", {4}}}, train, of_a_step);
    for_each_call(run, warm_ups + later, [&](const Tensor& x) {
      run.see_error("step", [&] { run.see("loss", step({x})); });
      run.see("w", w);
    });
    step.expect_replays(count_of(later, 'n'));
    step.expect_misses(Miss::Disabled, count_of(later, 'a') + count_of(later, 'A'));
  });
}

TEST_P(Anomaly, PrepareLeavesTheBackwardToLaterCalls) {
  const scenario run(device(), true);
  const Tensor w = at::ones({4}, run.options()).requires_grad_(), x = run.random({4}).abs();
  test_callable f({{"x", {4}}, {"w", {4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{(in[0] * in[1]).sqrt()}; });
  {
    const anomaly_mode searching;
    f.prepare({x, w});
  }
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
  EXPECT_EQ(f.stats().failed_captures, 0U) << f.stats();
  f({x, w})[0].sum().backward();
  EXPECT_EQ(f.stats().backward_replays, 1U) << f.stats();
}

TEST_P(Anomaly, PrepareOfAStepSaysWhyThereIsNoCapture) {
  const scenario run(device(), true);
  const Tensor w = at::ones({4}, run.options()).requires_grad_(), x = run.random({4});
  settings of_a_step;
  of_a_step.step = true;
  const auto train = [&](tensor_list& in) {
    w.mutable_grad().reset();
    (in[0] * w).sum().backward();
    return tensor_list{};
  };
  test_callable step({{"x", {4}}}, train, of_a_step);
  const anomaly_mode searching;
  try {
    step.prepare({x});
    ADD_FAILURE() << "it was captured";
  } catch (const CaptureError& error) {
    EXPECT_NE(std::string(error.what()).find("anomaly mode looks for NaN"), std::string::npos) << error.what();
  }
}

}  // namespace anomaly_test
