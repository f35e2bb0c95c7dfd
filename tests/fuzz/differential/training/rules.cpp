// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>

namespace graphed::fuzz::training {
namespace {

bool looks_at_gradients(const statement& statement) {
  return statement.what == statement::kind::unscale || statement.what == statement::kind::scaler_step;
}

bool leaves_scaler_open(const routine& routine) {
  const auto& all = routine.statements;
  const auto last = std::find_if(all.rbegin(), all.rend(), [](const statement& each) {
    return looks_at_gradients(each) || each.what == statement::kind::scaler_update;
  });
  return last != all.rend() && looks_at_gradients(*last);
}

bool drops_gradients(const routine& routine) {
  return std::any_of(routine.statements.begin(), routine.statements.end(),
                     [](const statement& each) { return each.what == statement::kind::zero_grad && each.flag; });
}

// Whose gradients a step drops is known of a module, and from an earlier call (docs/explanation/how-it-works.md, Limits).
bool is_prepared_unknown(const program& program, std::size_t position) {
  const action& ahead = program.actions[position];
  if (ahead.what != action::kind::call || ahead.how != action::manner::ahead) {
    return false;
  }
  const routine& routine = program.routines[ahead.routine];
  const auto tells = [&](const action& each) {
    const auto& sizes = routine.settings.sizes;
    return each.what == action::kind::call && each.how == action::manner::graphed && each.routine == ahead.routine &&
           std::count(sizes.begin(), sizes.end(), each.rows) != 0;
  };
  return !routine.is_method && drops_gradients(routine) &&
         std::none_of(program.actions.begin(), program.actions.begin() + static_cast<std::ptrdiff_t>(position), tells);
}

// New options may need further state, which is made by the next step or by the capture ahead of it (docs/how-to/training-steps.md).
bool is_prepared_for_new_options(const program& program, std::size_t position) {
  const auto needs_state = [](const action& each) { return each.what == action::kind::set_option && each.which != number::weight_decay; };
  const action& ahead = program.actions[position];
  return ahead.what == action::kind::call && ahead.how == action::manner::ahead &&
         std::any_of(program.actions.begin(), program.actions.begin() + static_cast<std::ptrdiff_t>(position), needs_state);
}

}  // namespace

const char* broken_rule(const program& program) {
  if (std::any_of(program.routines.begin(), program.routines.end(), leaves_scaler_open)) {
    return "a step uses the scaler without its update (graphed/grad_scaler.h)";
  }
  for (std::size_t i = 0; i < program.actions.size(); ++i) {
    if (is_prepared_for_new_options(program, i)) {
      return "a step is captured ahead after options have changed that may need further state";
    }
    if (is_prepared_unknown(program, i)) {
      return "a step is captured ahead before it is known whose gradients it drops";
    }
  }
  return nullptr;
}

}  // namespace graphed::fuzz::training
