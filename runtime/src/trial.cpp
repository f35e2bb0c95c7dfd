// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

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
  return least(call_kind::replay) > least(call_kind::plain) * noise ? verdict::go_back : verdict::keep;
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

trial::turn trial::next() {
  const std::lock_guard lock(mutex_);
  if (!concerns_calls()) {
    return turn::untimed;
  }
  if (has_gone_back()) {
    return turn::gone_back;
  }
  try {
    settle();
  } catch (const std::exception&) {  // of the device: whoever uses it next is told
    return end(stage::kept), turn::untimed;
  }
  if (begun(call_kind::replay) < call_costs::replays) {
    return turn::timed_replay;
  }
  if (!pending_.empty()) {
    return turn::untimed;
  }
  switch (costs_.judge()) {
    case call_costs::verdict::wants_plain:
      return turn::timed_plain;
    case call_costs::verdict::go_back:
      return end(stage::back), turn::goes_back;
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
