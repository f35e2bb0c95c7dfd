// SPDX-License-Identifier: Apache-2.0
//
// What the warm-ups and the first replays of a key cost, to say where a graph is slower. No call runs another way because of it.
#pragma once

#include "backend/backend.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace graphed::impl {

/// How long a call takes, without waiting for the device.
class timing {
 public:
  /// Starts. `on_device` is null where the host's time is the whole of it.
  explicit timing(std::unique_ptr<interval> on_device) : on_device_(std::move(on_device)), start_(clock::now()) {}
  void stop() {
    on_host_ = clock::now() - start_;
    if (on_device_) {
      on_device_->stop();
    }
  }
  /// The larger of the host's time and the device's; none while the latter is not known.
  std::optional<double> microseconds() const {
    const auto on_device = on_device_ ? on_device_->microseconds() : 0.0;
    return on_device ? std::optional(std::max(*on_device, on_host_.count())) : std::nullopt;
  }

 private:
  using clock = std::chrono::steady_clock;

  std::unique_ptr<interval> on_device_;
  clock::time_point start_;
  std::chrono::duration<double, std::micro> on_host_{};
};

enum class timed_kind : std::size_t { warmup, replay };

/// Begins with the first warm-up that is timed. Ends after some replays where one of them was no slower than the fastest warm-up, and
/// otherwise after many. Thus a moment in which the machine was busy with something else does not make a graph look slower. Thread safety:
/// all members.
class call_times {
 public:
  static constexpr int fewest_replays = 8;
  static constexpr int most_replays = 64;

  struct figure {
    int calls = 0;
    double least = std::numeric_limits<double>::infinity();  ///< microseconds
  };

  /// Whether such calls are still to be timed. One load.
  bool concern(timed_kind kind) const noexcept {
    const stage now = stage_.load(std::memory_order_relaxed);
    return now == stage::open || (now == stage::unbegun && kind == timed_kind::warmup);
  }
  /// Whether this one is.
  bool want(timed_kind kind) const;
  /// `cost` has been stopped.
  void add(timed_kind kind, timing cost);
  /// True once: when each of many replays has been slower than the fastest warm-up. Never waits for the device.
  bool turn_out_slower();
  /// What was known when a call was last timed. Does not use the device.
  figure known(timed_kind kind) const;

 private:
  enum class stage { unbegun, open, ended };

  void settle();
  void end();
  const figure& of(timed_kind kind) const { return figures_[static_cast<std::size_t>(kind)]; }

  std::atomic<stage> stage_{stage::unbegun};
  mutable std::mutex mutex_;
  std::array<figure, 2> figures_;
  std::vector<std::pair<timed_kind, timing>> pending_;
};

}  // namespace graphed::impl
