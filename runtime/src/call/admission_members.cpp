// SPDX-License-Identifier: Apache-2.0
//
// How a call carries the members of its object that its body replaces.
#include "call/admission.h"

#include <algorithm>
#include <utility>

namespace graphed::impl {

std::optional<mismatch> admission::add_members() {
  if (!carried) {
    return std::nullopt;
  }
  with_members_.reset();
  with_members_ = std::make_shared<member_sample>(sample(), sized, carried->leaves(), carried->tensors());
  return with_members_->check(arguments(), place());
}

tensor_list admission::run(c10::function_ref<tensor_list(tensor_list&)> body, tensor_list& in) {
  return carried ? carried->run(body, in) : body(in);
}

void admission::carry_members() {
  if (!members && !engine.spec.step) {
    return;
  }
  assigned_members assigned;
  if (members) {
    const std::lock_guard lock(engine.mutex);
    assigned = engine.past.assigned;
  }
  if (std::any_of(assigned.begin(), assigned.end(), is_carried) || !leaves_among(given, engine.spec).empty()) {
    carried.emplace(members, std::move(assigned), given, engine.spec);
  }
}

bool admission::note_assigned_members(const recording& seen) {
  if (!members) {
    return false;
  }
  members.look_again();
  const std::lock_guard lock(engine.mutex);
  const assigned_members before = std::exchange(engine.past.assigned, {});
  assigned_members& assigned = engine.past.assigned;
  assigned = members.find_assigned(before, seen, engine.module.is_there());
  key->seen.refilled = members.find_refilled(assigned);
  bool is_new = false;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    is_new |= is_carried(assigned[i]) && (i >= before.size() || assigned[i] != before[i]);
  }
  return is_new;
}

// No operator has made it, nor had it.
std::string admission::assigned_by_host_part(const recording& seen) const {
  if (!carried || seen.host_parts().all().empty()) {
    return {};
  }
  const auto members = carried->tensors();
  const auto found = std::find_if(members.begin(), members.end(), [&](const carried_tensor& each) {
    return each.place->defined() && seen.tensors()->origin_of(*each.place) == origin::unknown;
  });
  return found == members.end() ? std::string() : found->name;
}

void admission::put_back_members() {
  std::unique_lock lock(engine.mutex);
  const assigned_members assigned = engine.past.assigned;
  lock.unlock();
  members.put_back(assigned);
}

// Its warm-ups go on from here. One at the least runs with the members among its inputs.
void admission::learn_members() {
  carried.reset();
  carry_members();
  if (add_members()) {
    return;
  }
  const auto next = entry_on(device);
  const std::lock_guard lock(engine.mutex);
  if (next != key) {
    next->tries.warmups = std::max(next->tries.warmups, std::min(key->tries.warmups, warmups_due() - 1));
  }
}

}  // namespace graphed::impl
