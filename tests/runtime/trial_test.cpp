// SPDX-License-Identifier: Apache-2.0
//
// What follows from the costs of calls, and how a trial goes on while the device is behind.
#include <call/trial.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace trial_test {

using namespace graphed;
using kind = call_kind;
using turn = trial::turn;
using verdict = call_costs::verdict;

call_costs costs(const std::vector<double>& warmups, double replay, const std::vector<double>& plain = {}) {
  call_costs made;
  for (const double each : warmups) {
    made.add(kind::warmup, each);
  }
  for (int call = 0; call < call_costs::replays; ++call) {
    made.add(kind::replay, replay + call);
  }
  for (const double each : plain) {
    made.add(kind::plain, each);
  }
  return made;
}

TEST(CallCosts, ClearlyFasterReplaysNeedNoPlainCalls) {
  EXPECT_EQ(costs({9000, 300, 310}, 100).judge(), verdict::keep);
  EXPECT_EQ(costs({9000, 300, 310}, 101).judge(), verdict::wants_plain);
}

TEST(CallCosts, TheLeastOfEachKindCounts) {
  EXPECT_EQ(costs({300}, 200, {900, 210, 500}).judge(), verdict::keep);
  EXPECT_EQ(costs({300}, 200, {900, 190, 500}).judge(), verdict::slower);
}

TEST(CallCosts, ANoisyClockDoesNotDecide) {
  EXPECT_EQ(costs({300}, 105, {100, 100, 100}).judge(), verdict::keep);
  EXPECT_EQ(costs({300}, 105.1, {100, 100, 100}).judge(), verdict::slower);
}

TEST(CallCosts, NothingIsDecidedEarly) {
  EXPECT_EQ(costs({300}, 200, {100, 100}).judge(), verdict::wants_plain);
  call_costs few;
  few.add(kind::warmup, 1);
  for (int call = 1; call < call_costs::replays; ++call) {
    few.add(kind::replay, 1000);
    EXPECT_EQ(few.judge(), verdict::open);
  }
}

TEST(CallCosts, ARoundIsJudgedByItself) {
  call_costs two_rounds = costs({300}, 200, {100, 100, 100});
  two_rounds.begin_again();
  EXPECT_EQ(two_rounds.judge(), verdict::open);
  for (int call = 0; call < call_costs::replays; ++call) {
    two_rounds.add(kind::replay, 1000);
  }
  EXPECT_EQ(two_rounds.judge(), verdict::wants_plain);
  for (int call = 0; call < call_costs::plain_calls; ++call) {
    two_rounds.add(kind::plain, 990);
  }
  EXPECT_EQ(two_rounds.judge(), verdict::keep);
}

TEST(CallCosts, WithoutWarmUpsTheReplaysStay) { EXPECT_EQ(costs({}, 1000, {1, 1, 1}).judge(), verdict::keep); }

// A device on which an event comes when the test says so.
struct fake_device {
  bool is_done = true;
  bool is_lost = false;
};

class fake_interval final : public interval {
 public:
  fake_interval(const fake_device& device, double cost) : device_(device), cost_(cost) {}
  void stop() override {}
  std::optional<double> microseconds() const override {
    if (device_.is_lost) {
      throw std::runtime_error("lost");
    }
    return device_.is_done ? std::optional(cost_) : std::nullopt;
  }

 private:
  const fake_device& device_;
  const double cost_;
};

// Far more than the host needs between start and stop.
constexpr double unit = 1e6;

class Trial : public ::testing::Test {
 protected:
  void add(kind what, double cost) {
    timing call(std::make_unique<fake_interval>(device_, cost * unit));
    call.stop();
    trial_.add(what, std::move(call));
  }
  void add_replays(double cost) {
    for (int call = 0; call < call_costs::replays; ++call) {
      EXPECT_EQ(trial_.next(), turn::timed_replay) << call;
      add(kind::replay, cost);
    }
  }
  void add_plain_calls(double cost) {
    for (int call = 0; call < call_costs::plain_calls; ++call) {
      EXPECT_EQ(trial_.next(), turn::timed_plain) << call;
      add(kind::plain, cost);
    }
  }
  void pass_calls() {
    for (int call = 0; call < trial::calls_between; ++call) {
      EXPECT_EQ(trial_.next(), turn::untimed) << call;
      EXPECT_TRUE(trial_.concerns_calls());
    }
  }
  // One of the rounds after the first.
  void confirm(double replay, double plain) {
    EXPECT_EQ(trial_.next(), turn::untimed);
    pass_calls();
    int replays = 0, plain_calls = 0;
    for (int call = 0; call < call_costs::replays + call_costs::plain_calls; ++call) {
      const turn now = trial_.next();
      ASSERT_TRUE(now == turn::timed_replay || now == turn::timed_plain) << call;
      const bool is_replay = now == turn::timed_replay;
      (is_replay ? replays : plain_calls) += 1;
      add(is_replay ? kind::replay : kind::plain, is_replay ? replay : plain);
    }
    EXPECT_EQ(replays, call_costs::replays);
    EXPECT_EQ(plain_calls, call_costs::plain_calls);
  }

  fake_device device_;
  trial trial_;
};

TEST_F(Trial, ConcernsNoCallsBeforeItsFirstWarmUp) {
  EXPECT_FALSE(trial_.concerns_calls());
  EXPECT_TRUE(trial_.takes_warmups());
  EXPECT_EQ(trial_.next(), turn::untimed);
  add(kind::warmup, 2);
  EXPECT_TRUE(trial_.concerns_calls());
}

TEST_F(Trial, ConcernsNoCallsAfterwardsWhereReplaysAreFaster) {
  add(kind::warmup, 2);
  add_replays(1);
  add_plain_calls(2);
  EXPECT_EQ(trial_.next(), turn::untimed);
  EXPECT_FALSE(trial_.concerns_calls());
  EXPECT_FALSE(trial_.takes_warmups());
}

TEST_F(Trial, GoesBackOnceAndForGood) {
  add(kind::warmup, 2);
  add_replays(2);
  add_plain_calls(1);
  confirm(3, 2);
  confirm(2, 1);
  EXPECT_EQ(trial_.next(), turn::goes_back);
  EXPECT_EQ(trial_.next(), turn::gone_back);
  EXPECT_TRUE(trial_.has_gone_back());
  EXPECT_FALSE(trial_.takes_warmups());
  trial_.keep();
  EXPECT_EQ(trial_.next(), turn::gone_back);
  EXPECT_EQ(trial_.costs().least(kind::plain), 1 * unit);
  EXPECT_EQ(trial_.costs().least(kind::replay), 2 * unit);
}

// As on a machine that something else uses: eight replays of 51.4 ms, while a plain call took 0.643.
TEST_F(Trial, OneBadMomentDoesNotDecide) {
  add(kind::warmup, 1);
  add_replays(51.4);
  add_plain_calls(0.643);
  confirm(0.5, 0.643);
  EXPECT_EQ(trial_.next(), turn::untimed);
  EXPECT_FALSE(trial_.concerns_calls());
  EXPECT_FALSE(trial_.has_gone_back());
}

TEST_F(Trial, ABadMomentOfAllCallsOfARoundDoesNotDecide) {
  add(kind::warmup, 1);
  add_replays(51.4);
  add_plain_calls(0.643);
  confirm(50, 0.643);
  confirm(50, 51);
  EXPECT_EQ(trial_.next(), turn::untimed);
  EXPECT_FALSE(trial_.concerns_calls());
  EXPECT_FALSE(trial_.has_gone_back());
}

// Of a machine that is busy half of the time, on the whole and now and then.
int times_gone_back(double replay, double plain, unsigned seeds) {
  int times = 0;
  const fake_device device;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> busy(1, 80);
    bool is_busy_for_long = true;
    trial trial;
    const auto add = [&](kind what, double cost) {
      const double factor = is_busy_for_long || random() % 2 == 0 ? busy(random) : 1;
      timing call(std::make_unique<fake_interval>(device, cost * factor * unit));
      call.stop();
      trial.add(what, std::move(call));
    };
    add(kind::warmup, plain);
    for (int calls = 0; calls < 1000 && trial.concerns_calls() && !trial.has_gone_back(); ++calls) {
      is_busy_for_long = calls / 10 % 2 == 0;
      const turn now = trial.next();
      if (now == turn::timed_replay) {
        add(kind::replay, replay);
      } else if (now == turn::timed_plain) {
        add(kind::plain, plain);
      }
    }
    EXPECT_TRUE(trial.has_gone_back() || !trial.concerns_calls());
    times += trial.has_gone_back() ? 1 : 0;
  }
  return times;
}

TEST(NoisyTrial, FasterReplaysStay) { EXPECT_LE(times_gone_back(0.7, 1, 1000), 10); }
TEST(NoisyTrial, MuchSlowerReplaysGoBack) { EXPECT_GE(times_gone_back(100, 1, 1000), 900); }

TEST_F(Trial, GoesOnWhileTheDeviceIsBehind) {
  device_.is_done = false;
  add(kind::warmup, 2);
  add_replays(2);
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(trial_.next(), turn::untimed);
    EXPECT_TRUE(trial_.concerns_calls());
  }
  device_.is_done = true;
  EXPECT_EQ(trial_.next(), turn::timed_plain);
  device_.is_done = false;
  add(kind::plain, 1);
  EXPECT_EQ(trial_.next(), turn::untimed);
  device_.is_done = true;
  EXPECT_EQ(trial_.next(), turn::timed_plain);
}

TEST_F(Trial, OfALostDeviceIsOver) {
  add(kind::warmup, 2);
  add_replays(2);
  device_.is_lost = true;
  EXPECT_EQ(trial_.next(), turn::untimed);
  EXPECT_FALSE(trial_.concerns_calls());
}

TEST_F(Trial, KeptTakesInNothingMore) {
  add(kind::warmup, 2);
  trial_.keep();
  add(kind::warmup, 2);
  EXPECT_FALSE(trial_.concerns_calls());
  EXPECT_EQ(trial_.next(), turn::untimed);
}

TEST(Timing, TheLargerOfHostAndDevice) {
  const fake_device device;
  timing slow_on_device(std::make_unique<fake_interval>(device, unit));
  slow_on_device.stop();
  EXPECT_EQ(slow_on_device.microseconds(), unit);
  timing slow_on_host(std::make_unique<fake_interval>(device, 1));
  timing of_host_alone(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  slow_on_host.stop();
  of_host_alone.stop();
  EXPECT_GE(*slow_on_host.microseconds(), 2000);
  EXPECT_GE(*of_host_alone.microseconds(), 2000);
}

}  // namespace trial_test
