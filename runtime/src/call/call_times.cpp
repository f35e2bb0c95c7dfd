// SPDX-License-Identifier: Apache-2.0
#include "call/call_times.h"

#include <exception>

namespace graphed::impl {

// A device that is far behind has not come to the end of many.
bool call_times::want(timed_kind kind) const {
  const std::lock_guard lock(mutex_);
  const auto begun = of(kind).calls + std::count_if(pending_.begin(), pending_.end(), [&](const auto& each) { return each.first == kind; });
  return concern(kind) && begun < most_replays;
}

void call_times::add(timed_kind kind, timing cost) {
  const std::lock_guard lock(mutex_);
  if (concern(timed_kind::warmup)) {
    stage_.store(stage::open, std::memory_order_relaxed);
    pending_.emplace_back(kind, std::move(cost));
  }
}

void call_times::settle() {
  const auto is_known = [&](const auto& each) {
    const auto cost = each.second.microseconds();
    if (cost) {
      figure& changed = figures_[static_cast<std::size_t>(each.first)];
      ++changed.calls;
      changed.least = std::min(changed.least, *cost);
    }
    return cost.has_value();
  };
  try {
    pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_known), pending_.end());
  } catch (const std::exception&) {  // of the device: its next user gets it
    end();
  }
}

void call_times::end() {
  stage_.store(stage::ended, std::memory_order_relaxed);
  pending_.clear();
}

bool call_times::turn_out_slower() {
  const std::lock_guard lock(mutex_);
  settle();
  const figure& replays = of(timed_kind::replay);
  if (!concern(timed_kind::replay) || replays.calls < fewest_replays) {
    return false;
  }
  const bool is_slower = replays.least > of(timed_kind::warmup).least;
  if (!is_slower || replays.calls >= most_replays) {
    end();
  }
  return is_slower && replays.calls >= most_replays;
}

call_times::figure call_times::known(timed_kind kind) const {
  const std::lock_guard lock(mutex_);
  return of(kind);
}

}  // namespace graphed::impl
