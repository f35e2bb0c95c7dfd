// SPDX-License-Identifier: Apache-2.0
//
// `policy = auto`: the calls of a key are timed until it is known whether its replays are worth it.
#include "call/call_state.h"
#include "report/environment.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/units.h"

#include <exception>

namespace graphed {

// Calls that do something else, or more, say nothing about the others.
bool call::state::may_be_timed() const {
  return engine.spec.policy == replay_policy::automatic && !is_strict(engine.spec) && !details->is_padded();
}

bool call::state::runs_plainly_by_trial() {
  const trial::turn turn = captures->trial.next();
  if (turn == trial::turn::goes_back || turn == trial::turn::gone_back) {
    go_back(turn == trial::turn::goes_back);
    return true;
  }
  if (turn == trial::turn::untimed || !may_be_timed()) {
    return false;
  }
  times_plainly = turn == trial::turn::timed_plain;
  if (times_plainly) {
    count_miss(miss::timing);
  } else {
    begin_timing(call_kind::replay);
  }
  return times_plainly;
}

void call::state::go_back(bool is_new) {
  count_miss(miss::slower);
  std::vector<captured_slot> released;
  {
    const std::lock_guard lock(engine.mutex);
    released.swap(captures->slots);
  }
  if (is_new) {
    const call_costs costs = captures->trial.costs();
    warn(message_prefix(engine.spec) + "a replay takes " + human_time(costs.least(call_kind::replay)) + ", the plain callable " +
         human_time(costs.least(call_kind::plain)) + ": from now on the plain callable runs; `policy = always` keeps the graph" +
         see(pages::never_slower));
  }
}

void call::state::begin_timing(call_kind kind) {
  try {
    timed.emplace(kind, timing(implementation->begin_interval(device)));
  } catch (const std::exception&) {  // of the device: whoever uses it next is told
    captures->trial.keep();
  }
}

void call::state::begin_plain_timing() {
  timed.reset();
  if (times_plainly) {
    begin_timing(call_kind::plain);
  } else if (warmup && may_be_timed() && captures->trial.takes_warmups()) {
    begin_timing(call_kind::warmup);
  }
}

// The backward is no part of what is timed, and gains as well.
void call::state::check_timing(const slot& serving_slot) {
  if (serving_slot.wants_gradients()) {
    captures->trial.keep();
    timed.reset();
  } else if (details->verified) {
    timed.reset();
  }
}

void call::state::end_timing() {
  if (!timed) {
    return;
  }
  try {
    timed->second.stop();
    captures->trial.add(timed->first, std::move(timed->second));
  } catch (const std::exception&) {
    captures->trial.keep();
  }
  timed.reset();
}

}  // namespace graphed
