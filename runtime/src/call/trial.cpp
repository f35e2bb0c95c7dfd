// SPDX-License-Identifier: Apache-2.0
#include "call/trial.h"

#include <algorithm>
#include <exception>

namespace graphed {

void call_costs::add(call_kind kind, double microseconds) {
  figure& changed = figures_[static_cast<std::size_t>(kind)];
  ++changed.calls;
  changed.microseconds = std::min(changed.microseconds, microseconds);
}

// Plain calls after the capture are made only where the warm-ups, which cost more, do not tell.
call_costs::verdict call_costs::judge() const {
  if (count(call_kind::warmup) == 0) {
    return verdict::keep;
  }
  if (count(call_kind::replay) < replays) {
    return verdict::open;
  }
  if (least(call_kind::replay) * watching <= least(call_kind::warmup)) {
    return verdict::keep;
  }
  if (count(call_kind::plain) < plain_calls) {
    return verdict::wants_plain;
  }
  return least(call_kind::replay) > least(call_kind::plain) * noise ? verdict::slower : verdict::keep;
}

void call_costs::begin_again() {
  for (const call_kind each : {call_kind::replay, call_kind::plain}) {
    figures_[static_cast<std::size_t>(each)] = {};
  }
}

int trial::begun(call_kind kind) const {
  return costs_.count(kind) +
         static_cast<int>(std::count_if(pending_.begin(), pending_.end(), [&](const auto& each) { return each.first == kind; }));
}

void trial::settle() {
  const auto is_known = [&](const auto& each) {
    const auto cost = each.second.microseconds();
    if (cost) {
      costs_.add(each.first, *cost);
    }
    return cost.has_value();
  };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_known), pending_.end());
}

void trial::end(stage last) {
  stage_.store(last, std::memory_order_relaxed);
  pending_.clear();
}

trial::turn trial::next_to_time() const {
  const int replays = begun(call_kind::replay), plain = begun(call_kind::plain);
  constexpr int between = call_costs::replays / (call_costs::plain_calls + 1);
  if (slower_rounds_ > 0 && plain < call_costs::plain_calls && replays >= between * (plain + 1)) {
    return turn::timed_plain;
  }
  return replays < call_costs::replays ? turn::timed_replay : turn::untimed;
}

trial::turn trial::end_round() {
  if (++slower_rounds_ == rounds) {
    return end(stage::back), turn::goes_back;
  }
  costs_.begin_again();
  calls_to_pass_ = calls_between;
  return turn::untimed;
}

trial::turn trial::next() {
  const std::lock_guard lock(mutex_);
  if (!concerns_calls()) {
    return turn::untimed;
  }
  if (has_gone_back()) {
    return turn::gone_back;
  }
  if (calls_to_pass_ > 0) {
    return --calls_to_pass_, turn::untimed;
  }
  try {
    settle();
  } catch (const std::exception&) {  // of the device: whoever uses it next is told
    return end(stage::kept), turn::untimed;
  }
  if (const turn wanted = next_to_time(); wanted != turn::untimed) {
    return wanted;
  }
  if (!pending_.empty()) {
    return turn::untimed;
  }
  switch (costs_.judge()) {
    case call_costs::verdict::wants_plain:
      return turn::timed_plain;
    case call_costs::verdict::slower:
      return end_round();
    case call_costs::verdict::keep:
    case call_costs::verdict::open:
      break;
  }
  return end(stage::kept), turn::untimed;
}

void trial::add(call_kind kind, timing cost) {
  const std::lock_guard lock(mutex_);
  if (!takes_warmups()) {
    return;
  }
  stage_.store(stage::open, std::memory_order_relaxed);
  pending_.emplace_back(kind, std::move(cost));
}

void trial::keep() {
  const std::lock_guard lock(mutex_);
  if (!has_gone_back()) {
    end(stage::kept);
  }
}

call_costs trial::costs() const {
  const std::lock_guard lock(mutex_);
  return costs_;
}

}  // namespace graphed
