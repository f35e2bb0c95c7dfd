// SPDX-License-Identifier: Apache-2.0
//
// Captures whose recordings learn of operators by RecordFunction, as where others have taken the place in the dispatcher: this program runs
// suites of the runtime so. On a CPU the tape alone meets operators there.
#include "support/device_test.h"
#include "watch/recorder.h"

#include <string>

namespace told_test {

using namespace graphed;
using namespace graphed::impl;
using namespace graphed::testing;
using at::Tensor;

class all_are_told : public ::testing::Environment {
  void SetUp() override { tell_by_record_function(true); }
};
[[maybe_unused]] const ::testing::Environment* const set_up = ::testing::AddGlobalTestEnvironment(new all_are_told);

GRAPHED_DEVICE_TEST_SUITE(Told);

const std::vector<argument> arguments{{"x", {16, 8}}};

// LibTorch drops what its callbacks throw: a refusal ends the capture when the callable has run.
TEST_P(Told, WhatIsRefusedRunsPlainly) {
  const auto expect_refused = [&](const test_callable::body& body, const std::string& why) {
    expect_same([&](scenario& run) {
      subject f(run, arguments, body);
      for (int step = 0; step < 6; ++step) {
        const Tensor x = run.random({16, 8});
        run.see("y", f({x}));
        run.see("x", x);
      }
      f.expect_replays(0);
    });
    EXPECT_GE(warnings_.count({"test_callable", why}), 1U) << why << "\n" << warnings_.all();
  };
  expect_refused([](tensor_list& in) { return tensor_list{in[0].add_(1)}; }, "aten::add_.Scalar writes to the argument 'x'");
  expect_refused([](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; }, "aten::_local_scalar_dense");
  expect_refused(
      [](tensor_list& in) {
        at::manual_seed(3);
        return tensor_list{in[0] + at::rand_like(in[0])};
      },
      "sets the state of a random generator");
}

TEST_P(Told, NamesTheOperatorThatThrows) {
  expect_same([](scenario& run) {
    int call = 0;
    subject f(run, arguments, [&](tensor_list& in) {
      const Tensor y = in[0].tanh();
      return tensor_list{run.graphed() && ++call == 3 ? y.matmul(y) : y};
    });
    for (int step = 0; step < 4; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
  });
  EXPECT_EQ(warnings_.count({"test_callable", "the capture failed at operator aten::mm"}), 1U) << warnings_.all();
}

}  // namespace told_test
