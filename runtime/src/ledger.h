// SPDX-License-Identifier: Apache-2.0
//
// The counts of one engine, shared with the slots and nodes that outlive it, and what it reports once.
#pragma once

#include <graphed/stats.h>

#include <mutex>
#include <set>
#include <string>

namespace graphed {

class ledger {
 public:
  template <class Change>
  void update(Change&& change) {
    const std::lock_guard lock(mutex_);
    change(stats_);
  }
  statistics stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    const uint64_t held = stats_.bytes_held;
    stats_ = {};
    stats_.bytes_held = held;
    warned_.clear();
  }
  /// True for the first report of this text.
  bool first(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return warned_.insert(text).second;
  }

 private:
  mutable std::mutex mutex_;
  statistics stats_;
  std::set<std::string> warned_;
};

}  // namespace graphed
