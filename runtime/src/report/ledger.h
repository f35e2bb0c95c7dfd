// SPDX-License-Identifier: Apache-2.0
//
// The counts of one engine, shared with the slots and nodes that outlive it, and what it reports once.
#pragma once

#include <graphed/stats.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace graphed::impl {

class ledger {
 public:
  /// What every call counts, without the lock.
  struct {
    std::atomic<uint64_t> calls{0}, replays{0}, backward_replays{0}, bytes_staged{0};
  } each_call;

  template <class Change>
  void update(Change&& change) {
    const std::lock_guard lock(mutex_);
    change(stats_);
  }
  Statistics stats() const {
    const std::lock_guard lock(mutex_);
    Statistics now = stats_;
    now.calls = each_call.calls;
    now.replays = each_call.replays;
    now.backward_replays = each_call.backward_replays;
    now.bytes_staged = each_call.bytes_staged;
    return now;
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    const uint64_t held = stats_.bytes_held, pinned = stats_.bytes_pinned;
    stats_ = {};
    for (auto* count : {&each_call.calls, &each_call.replays, &each_call.backward_replays, &each_call.bytes_staged}) {
      *count = 0;
    }
    stats_.bytes_held = held;
    stats_.bytes_pinned = pinned;
    warned_.clear();
  }
  static void add(std::atomic<uint64_t>& count, uint64_t more) { count.fetch_add(more, std::memory_order_relaxed); }
  /// Why a capture failed, or none is tried.
  void note_failure(const std::string& why) {
    constexpr std::size_t most = 16;
    const std::lock_guard lock(mutex_);
    if (auto& known = stats_.capture_failures; known.size() < most || known.count(why) != 0) {
      ++known[why];
    }
  }
  /// True for the first report of this text.
  bool first(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return warned_.insert(text).second;
  }

 private:
  mutable std::mutex mutex_;
  Statistics stats_;
  std::set<std::string> warned_;
};

}  // namespace graphed::impl
