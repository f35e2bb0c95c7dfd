// SPDX-License-Identifier: Apache-2.0
//
// How long each operator of a graph takes. On a CPU it is measured in its first replays, the least of each; on a GPU in the last one.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace graphed::impl {

struct operator_time {
  std::string name;  ///< "aten::addmm.out", as the graph calls it
  double microseconds;
};

/// What measures the operators of a graph that a device runs by itself.
class operator_clock {
 public:
  operator_clock() = default;
  virtual ~operator_clock() = default;
  operator_clock& operator=(operator_clock&&) = delete;

  /// In the last replay, in the order of the program. Empty while the device has not come to its end, and before the first one. Any thread
  /// may ask; nothing waits.
  virtual std::vector<operator_time> times() const = 0;
};

/// Thread safety: all members; those who add take turns.
class least_times {
 public:
  /// Replays that are measured.
  static constexpr int most = 8;

  bool wants() const noexcept { return left_.load(std::memory_order_relaxed) > 0; }
  /// In microseconds, of all operators in one replay.
  void add(const std::vector<double>& times) {
    const std::lock_guard lock(mutex_);
    if (least_.empty()) {
      least_ = times;
    }
    for (std::size_t i = 0; i < least_.size(); ++i) {
      least_[i] = times[i] < least_[i] ? times[i] : least_[i];
    }
    left_.fetch_sub(1, std::memory_order_relaxed);
  }
  std::vector<double> all() const {
    const std::lock_guard lock(mutex_);
    return least_;
  }

 private:
  std::atomic<int> left_{most};
  mutable std::mutex mutex_;
  std::vector<double> least_;
};

}  // namespace graphed::impl
