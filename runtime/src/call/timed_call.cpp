// SPDX-License-Identifier: Apache-2.0
//
// Timing the calls of a key that are made anyway, and telling where its graph is slower.
#include "call/call_state.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/units.h"

#include <exception>

namespace graphed {

// Calls that do something else, or more, say nothing about the others.
void call::state::begin_timing(timed_kind kind) {
  call_times& times = captures->times;
  if (times.have_ended() || details->is_padded() || details->verified) {
    return;
  }
  if (kind == timed_kind::replay) {
    warn_if_slower();
  }
  if (!times.want(kind)) {
    return;
  }
  try {
    timed.emplace(kind, timing(implementation->begin_interval(device)));
  } catch (const std::exception&) {  // of the device: whoever uses it next is told
  }
}

void call::state::end_timing() {
  if (!timed) {
    return;
  }
  try {
    timed->second.stop();
    captures->times.add(timed->first, std::move(timed->second));
  } catch (const std::exception&) {
  }
  timed.reset();
}

void call::state::warn_if_slower() {
  if (captures->times.turn_out_slower() && engine.counts->first("slower")) {
    warn(message_prefix(engine.spec) + "a replay takes " + human_time(captures->times.known(timed_kind::replay).least) +
         ", a warm-up of the plain callable " + human_time(captures->times.known(timed_kind::warmup).least) +
         ": the graph is slower, and serves its calls all the same" + see(pages::slower_graphs));
  }
}

}  // namespace graphed
