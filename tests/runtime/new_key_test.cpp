// SPDX-License-Identifier: Apache-2.0
//
// Values of an object that are others in call after call: no call is captured, which is a miss with a reason.
#include "support/device_test.h"
#include "support/warnings.h"

namespace new_key_test {

using namespace graphed;
using namespace graphed::impl;
using namespace graphed::testing;

GRAPHED_DEVICE_TEST_SUITE(NewKey);

struct schedule {
  double position = 0;
  int phase = 0;
};
constexpr const char* names[] = {"position", "phase"};
void look_at(WatchedMembers& members, const schedule& of) {
  members.visit<WatchedMember<&schedule::position>, WatchedMember<&schedule::phase>>(of);
}

struct scheduled {
  explicit scheduled(const scenario& run)
      : f(run, {{"x", {4}}}, [this](tensor_list& in) { return tensor_list{in[0] * at.position + at.phase}; }, {}, nullptr,
          {at, names, look_at}) {}

  schedule at;
  subject f;
};

TEST_P(NewKey, IsAMissThatNamesTheValue) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    scheduled program(run);
    for (int call = 0; call < 40; ++call) {
      program.at.position = call;
      run.see("y", program.f({run.random({4})}));
    }
    program.f.expect_misses(Miss::NewKey, 25);
    program.f.expect_captures(0);
    if (run.graphed()) {
      EXPECT_EQ(program.f.stats().misses_by_parameter["position: new_key"], 25U) << program.f.stats();
    }
    for (int call = 0; call < 8; ++call) {
      run.see("y once it stays", program.f({run.random({4})}));
    }
    program.f.expect_misses(Miss::NewKey, 25);
    program.f.expect_captures(1);
  });
  EXPECT_EQ(warnings.count({"its object changes from call to call, so that none is captured: 'position = 14', then 'position = 15'"}), 1U)
      << warnings.all();
}

TEST_P(NewKey, ThatComesAgainIsCaptured) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    scheduled program(run);
    for (int call = 0; call < 100; ++call) {
      program.at.phase = call % 20;
      run.see("y", program.f({run.random({4})}));
    }
    program.f.expect_misses(Miss::NewKey, 5);
    program.f.expect_captures(20);
  });
}

}  // namespace new_key_test
