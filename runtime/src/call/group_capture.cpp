// SPDX-License-Identifier: Apache-2.0
#include "call/group_capture.h"

#include "call/call_state.h"
#include "report/log.h"

#include <graphed/error.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace graphed {

group_capture::group_capture(std::vector<member> members) : members_(std::move(members)), slots_(members_.size()) {
  for (auto& one : members_) {
    const call::state fits(*one.engine.state_, one.arguments, {}, call_purpose::prepare);
    if (!before_) {
      before_.emplace(fits.device);
    }
  }
}

void group_capture::run(const std::vector<int>& order) {
  for (auto& one : members_) {
    warm_up(one);
  }
  for (const int step : order) {
    const auto index = static_cast<std::size_t>(std::abs(step)) - 1;
    step > 0 ? forward(index) : backward(index);
  }
  for (std::size_t index = 0; index < members_.size(); ++index) {
    finish(index);
  }
}

void group_capture::warm_up(member& one) {
  call::state state(*one.engine.state_, one.arguments, {}, call_purpose::prepare);
  for (int run = 0; run < std::max(state.engine.spec.warmup, 1); ++run) {
    state.run_tracelessly(one.body, *before_);
  }
}

void group_capture::forward(std::size_t index) {
  auto& [in_flight, idle, complete] = slots_[index];
  if (!idle.empty()) {
    in_flight.push_back(std::move(idle.front()));
    idle.pop_front();
    return;
  }
  member& one = members_[index];
  call::state state(*one.engine.state_, one.arguments, {}, call_purpose::prepare);
  auto made = state.capture(one.body);
  if (!made) {
    throw capture_error(message_prefix(state.engine.spec) + "another thread is capturing");
  }
  in_flight.push_back(std::move(made));
}

void group_capture::backward(std::size_t index) {
  auto& [in_flight, idle, complete] = slots_[index];
  slot_lease oldest = std::move(in_flight.front());
  in_flight.pop_front();
  if (complete.insert(&*oldest).second) {
    oldest->prepare_backward(/*required=*/true);
  }
  idle.push_back(std::move(oldest));
}

// From now on calls are served by what was captured.
void group_capture::finish(std::size_t index) {
  member& one = members_[index];
  const call::state state(*one.engine.state_, one.arguments, {}, call_purpose::prepare);
  slots_[index].idle.clear();
  const std::lock_guard lock(state.engine.mutex);
  state.captures->warmups = std::max(state.captures->warmups, state.engine.spec.warmup);
}

}  // namespace graphed
