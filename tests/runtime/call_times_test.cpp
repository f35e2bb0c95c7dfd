// SPDX-License-Identifier: Apache-2.0
//
// When a graph counts as slower than the original function, and how that is found while the device is behind.
#include <call/call_times.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace call_times_test {

using namespace graphed::impl;
using kind = timed_kind;

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

class CallTimes : public ::testing::Test {
 protected:
  void add(kind what, double cost) {
    timing call(std::make_unique<fake_interval>(device_, cost * unit));
    call.stop();
    times_.add(what, std::move(call));
  }
  // As calls do: whether one of them found the graph slower.
  bool add_replays(int count, double cost) {
    bool found = false;
    for (int call = 0; call < count; ++call) {
      found = times_.turn_out_slower() || found;
      if (times_.want(kind::replay)) {
        add(kind::replay, cost);
      }
    }
    return found;
  }

  fake_device device_;
  call_times times_;
};

TEST_F(CallTimes, WantNoReplayBeforeTheFirstWarmUp) {
  EXPECT_TRUE(times_.want(kind::warmup));
  EXPECT_FALSE(times_.want(kind::replay));
  add(kind::warmup, 2);
  EXPECT_TRUE(times_.want(kind::replay));
}

TEST_F(CallTimes, AGraphThatIsNoSlowerEndsThemSoon) {
  add(kind::warmup, 2);
  EXPECT_FALSE(add_replays(call_times::fewest_replays, 2));
  EXPECT_TRUE(times_.concern(kind::replay));
  EXPECT_FALSE(times_.turn_out_slower());
  EXPECT_FALSE(times_.concern(kind::replay));
  EXPECT_EQ(times_.known(kind::replay).calls, call_times::fewest_replays);
  EXPECT_EQ(times_.known(kind::replay).least, 2 * unit);
}

TEST_F(CallTimes, ASlowerGraphIsFoundOnce) {
  add(kind::warmup, 5);
  add(kind::warmup, 2);
  EXPECT_FALSE(add_replays(call_times::most_replays, 2.1));
  EXPECT_TRUE(times_.turn_out_slower());
  EXPECT_FALSE(times_.turn_out_slower());
  EXPECT_FALSE(times_.concern(kind::replay));
  EXPECT_EQ(times_.known(kind::warmup).least, 2 * unit);
}

// As on a machine that something else uses: replays of 51.4 ms, while a warm-up took 0.643, and one that was left alone.
TEST_F(CallTimes, OneUndisturbedReplayIsEnough) {
  add(kind::warmup, 0.643);
  EXPECT_FALSE(add_replays(call_times::most_replays - 1, 51.4));
  EXPECT_FALSE(add_replays(1, 0.5));
  EXPECT_FALSE(times_.turn_out_slower());
  EXPECT_FALSE(times_.concern(kind::replay));
}

TEST_F(CallTimes, NoMoreAreBegunWhileTheDeviceIsBehind) {
  add(kind::warmup, 1);
  device_.is_done = false;
  EXPECT_FALSE(add_replays(3 * call_times::most_replays, 2));
  EXPECT_TRUE(times_.concern(kind::replay));
  EXPECT_FALSE(times_.want(kind::replay));
  device_.is_done = true;
  EXPECT_TRUE(times_.turn_out_slower());
  EXPECT_EQ(times_.known(kind::replay).calls, call_times::most_replays);
}

TEST_F(CallTimes, OfALostDeviceEnd) {
  add(kind::warmup, 1);
  add_replays(3, 2);
  device_.is_lost = true;
  EXPECT_FALSE(times_.turn_out_slower());
  EXPECT_FALSE(times_.concern(kind::replay));
  add(kind::replay, 1);
  EXPECT_FALSE(times_.concern(kind::replay));
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

}  // namespace call_times_test
