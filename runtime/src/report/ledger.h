// SPDX-License-Identifier: Apache-2.0
//
// The counts of one engine, shared with the slots and nodes that outlive it, and what it reports once.
#pragma once

#include "report/text.h"

#include <graphed/stats.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
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
    in_order_.clear();
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
  /// Of the last warnings, so many are remembered.
  static constexpr std::size_t remembered = 256;
  /// True for the first report of this name.
  bool first(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = warned_.insert(name);
    if (!is_new) {
      return false;
    }
    in_order_.push_back(known);
    if (in_order_.size() > remembered) {
      warned_.erase(in_order_.front());
      in_order_.pop_front();
    }
    return true;
  }
  /// The same of a message, whose numbers make no difference: how many bytes are free, a shape, an address.
  bool first_message(const std::string& text) { return first(without_numbers(text)); }

 private:
  mutable std::mutex mutex_;
  Statistics stats_;
  std::set<std::string> warned_;
  std::deque<std::set<std::string>::const_iterator> in_order_;  ///< the oldest first
};

}  // namespace graphed::impl
