// SPDX-License-Identifier: Apache-2.0
//
// What the callable itself assigns to its object's members, which no key can hold and no replay does.
#include "call/call_state.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"

namespace graphed {

void call::state::remember_members() {
  if (members) {
    remembered.emplace(*members);
  }
}

void call::state::note_assigned_members() {
  if (!remembered) {
    return;
  }
  engine.object.visit(members.emplace());
  const std::lock_guard lock(engine.mutex);
  engine.assigned = remembered->compared_with(*members, engine.assigned);
  remembered.reset();
}

void call::state::warn_of_assigned_members() {
  std::unique_lock lock(engine.mutex);
  const assigned_members assigned = engine.assigned;
  lock.unlock();
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const std::string name = engine.object.names()[i];
    if (assigned[i] == assignment::changed && engine.counts->first("assigned member " + name)) {
      warn(message_prefix(engine.spec) + "it changes the member '" + name + "' of its object, which replays leave as it is" +
           see(pages::modes));
    }
  }
}

}  // namespace graphed
