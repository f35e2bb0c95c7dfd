// SPDX-License-Identifier: Apache-2.0
//
// Replays that throw leave behind what eager mode leaves: nothing where nothing was launched, or what had been written by then.
#include "support/device_test.h"

#include <graphed/host.h>
#include <graphed/impl/stream_hook.h>

#include <stdexcept>
#include <vector>

namespace failed_replay_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(FailedReplay);

constexpr int calls = 10;

void refuse(const c10::Stream& /*stream*/, StreamUse use) {
  if (use == StreamUse::Launch) {
    throw std::runtime_error("the launch is refused");
  }
}

/// While it lives, every launch of a graph throws.
class refused_launches {
 public:
  refused_launches() : before_(set_stream_hook(refuse)) {}
  ~refused_launches() { set_stream_hook(before_); }
  refused_launches& operator=(refused_launches&&) = delete;

 private:
  const StreamHook before_;
};

TEST_P(FailedReplay, AHostPartThatThrowsLeavesWhatWasWritten) {
  expect_same([](scenario& run) {
    bool throws = false;
    subject f(run, {{"x", {16, 8}, at::kFloat, false, true}, {"y", {8}}}, [&throws](tensor_list& in) {
      in[0].mul_(2).add_(in[1]);
      host([&throws] {
        if (throws) {
          throw std::runtime_error("no token");
        }
      });
      in[0].sub_(1);
      return tensor_list{in[0] * in[1]};
    });
    Tensor x = run.random({16, 8});
    for (int call = 0; call < calls; ++call) {
      throws = call == 5 || call == 6 || call == 8;
      EXPECT_EQ(throws, run.see_error("call", [&] { run.see("result", f({x, run.random({8})})); }));
      run.see("x", x);
      x = call % 2 == 0 ? x.clone() : x;
    }
    if (run.graphed()) {
      EXPECT_GE(f.stats().replays, 3U) << f.explain();
    }
  });
}

TEST_P(FailedReplay, AStateStaysWhereNothingWasLaunched) {
  const scenario run(device(), true);
  const c10::AutoGradMode no_grad(false);
  const auto next = [](tensor_list& in) { return tensor_list{(in[0] * in[1]).cos() + in[0]}; };
  test_callable f({{"h", {64, 8}}, {"x", {64, 8}}}, next);
  Tensor h = run.random({64, 8}), expected = h.clone();
  for (int call = 0; call < calls; ++call) {
    const Tensor x = run.random({64, 8});
    if (call >= 4 && call % 2 == 0) {
      const refused_launches all;
      EXPECT_THROW(f({h, x}), std::runtime_error);
      EXPECT_TRUE(same_bits(h, expected)) << "after the failure in call " << call;
    }
    h = f({h, x})[0];
    expected = f.plain({expected, x})[0];
    EXPECT_TRUE(same_bits(h, expected)) << "call " << call;
  }
  EXPECT_EQ(f.stats().bytes_moved, 0U) << f.stats();
}

TEST_P(FailedReplay, AnArgumentThatIsWrittenStaysWhereNothingWasLaunched) {
  const scenario run(device(), true);
  const auto write = [](tensor_list& in) {
    in[0].mul_(3);
    return tensor_list{in[0] + 1};
  };
  test_callable f({{"x", {64, 8}, at::kFloat, false, true}}, write);
  for (int call = 0; call < 4; ++call) {
    f({run.random({64, 8})});
  }
  const Tensor x = run.random({64, 8}), before = x.clone();
  {
    const refused_launches all;
    EXPECT_THROW(f({x}), std::runtime_error);
  }
  EXPECT_TRUE(same_bits(x, before));
  EXPECT_TRUE(same_bits(f({x})[0], before * 3 + 1));
  EXPECT_TRUE(same_bits(x, before * 3));
}

}  // namespace failed_replay_test
