// SPDX-License-Identifier: Apache-2.0
#include "call/replay_warnings.h"

#include <string>

namespace graphed::impl {
namespace {

// Right for as long as the learning rate stays.
void warn_of_frozen_update(const engine_state& engine, const recording& seen) {
  const std::string update = engine.spec.step ? seen.frozen_update() : "";
  if (!update.empty() && engine.counts->first("frozen update")) {
    warn(message_prefix(engine.spec) + update +
         ", which replays go on with: if it is a learning rate that changes, take an optimizer of graphed::optim" +
         see(pages::frozen_update));
  }
}

void warn_of_gradient_of_one_body(const engine_state& engine, const recording& seen) {
  const std::string shape = seen.gradient_of_one_body();
  if (!shape.empty() && engine.counts->first("gradient of one body")) {
    warn(message_prefix(engine.spec) + "gradients reach a tensor of shape " + shape +
         " through one body of graphed::if_else alone: replays of the other body give it zeros, where an eager call gives none. "
         "An optimizer with momentum, weight decay or averages steps it all the same" +
         see(pages::control_flow));
  }
}

void warn_of_assigned_members(admission& call) {
  engine_state& engine = call.engine;
  std::unique_lock lock(engine.mutex);
  const assigned_members assigned = engine.past.assigned;
  lock.unlock();
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const std::string place = call.members.place_of(i);
    if (assigned[i] == assignment::changed && engine.counts->first("assigned " + place)) {
      warn(message_prefix(engine.spec) + "it changes " + place + ", which replays leave as it is" + see(pages::modes));
    }
  }
}

}  // namespace

void warn_of_replays(admission& call, const recording& seen) {
  warn_of_frozen_update(call.engine, seen);
  warn_of_gradient_of_one_body(call.engine, seen);
  warn_of_assigned_members(call);
}

}  // namespace graphed::impl
