// SPDX-License-Identifier: Apache-2.0
#include "gradient_rules.h"

#include "identity.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

bool goes_back(const action& action) { return action.what == kind::backward || action.what == kind::grad; }

// Whether the value is the other one, or a view of it, which may be that tensor itself.
bool may_be(const body& body, value shown, value other) {
  while (!(shown == other) && shown.from == value::origin::step) {
    const step& step = body.steps[shown.index];
    if (!step.op->has(operation::view) && !step.only_for_key) {
      break;
    }
    shown = step.operands[0];
  }
  return shown == other;
}

// How many edges lead from the body's steps and results to a value.
std::size_t uses_of(const body& body, value used) {
  std::size_t uses = 0;
  for (const auto& step : body.steps) {
    const auto here = static_cast<std::size_t>(
        std::count_if(step.operands.begin(), step.operands.end(), [&](value operand) { return may_be(body, operand, used); }));
    uses += here * (step.op->has(operation::repeats) ? 2 : 1);
  }
  for (const auto& result : body.results) {
    if (result && memory_of(body, *result) == used) {
      ++uses;
    }
  }
  return uses;
}

// A gradient with terms from inside a callable and from outside of it is summed in another order than in eager: the last bit may differ. So
// whatever has two consumers has no consumer that uses it twice.
bool sums_in_another_order(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  const action& back = program.actions[position];
  std::map<identity, std::vector<std::size_t>> consumers;
  for (const std::size_t number : reached) {
    const action& call = *call_action(program, number);
    const body& body = program.bodies[call.body];
    std::map<identity, std::size_t> uses;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      uses[identity_of_argument(program, call, i)] += uses_of(body, {value::origin::argument, i});
    }
    for (std::size_t i = 0; i < program.members.size(); ++i) {
      if (const auto here = uses_of(body, {value::origin::member, i}); here != 0) {
        const identity tensor{identity::origin::member, 0, i};
        const bool is_argument = uses.count(tensor) != 0;
        uses[tensor] += here;
        if (is_argument && uses[tensor] > 2) {
          return true;
        }
      }
    }
    for (const auto& [tensor, times] : uses) {
      consumers[tensor].push_back(times);
    }
  }
  for (const std::size_t root : back.roots) {
    consumers[identity_of_result(program, *call_action(program, back.call), root)].push_back(1);
  }
  for (const std::size_t other : back.others) {
    const action& call = *call_action(program, other);
    for (std::size_t root = 0; root < program.bodies[call.body].results.size(); ++root) {
      consumers[identity_of_result(program, call, root)].push_back(1);
    }
  }
  if (back.used) {
    consumers[{identity::origin::member, 0, *back.used}].push_back(1);
  }
  return std::any_of(consumers.begin(), consumers.end(), [](const auto& entry) {
    return entry.second.size() > 1 && *std::max_element(entry.second.begin(), entry.second.end()) > 1;
  });
}

bool reaches_all(const action& back) { return back.what == kind::backward && !back.only; }

bool has_operation(const body& body, unsigned traits) {
  return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) { return (step.op->traits & traits) != 0; });
}

// An argument, or a buffer.
bool writes_anything(const body& body) { return has_operation(body, operation::writes | operation::last); }

bool refills_an_argument(const action& call) {
  return std::any_of(call.arguments.begin(), call.arguments.end(),
                     [](const source& source) { return source.from == source::origin::kept && source.how == source::form::refilled; });
}

bool changed_since(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  bool called = false;
  for (std::size_t i = 0; i < position; ++i) {
    const action& earlier = program.actions[i];
    const bool is_call = earlier.what == kind::call;
    called |= is_call && reached.count(earlier.call) != 0;
    if (called && (earlier.what == kind::change_result || earlier.what == kind::change_argument || earlier.what == kind::descend ||
                   (is_call && (writes_anything(program.bodies[earlier.body]) || refills_an_argument(earlier))))) {
      return true;
    }
  }
  return false;
}

// Of a backward that asks for some gradients alone, eager checks only what these need (docs/explanation/same-results.md, Limits).
bool asks_for_some_after_a_change(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  return !reaches_all(program.actions[position]) && changed_since(program, position, reached);
}

// The node of an operator on a list goes on to all of it, with undefined gradients where a part was not used.
bool comes_to_calls_without_gradients(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  return calls_with_gradients(program, position) != reached && std::any_of(reached.begin(), reached.end(), [&](std::size_t call) {
           return has_operation(program.bodies[call_action(program, call)->body], operation::second);
         });
}

// Eager's nodes there check what they have saved, a graphed call is passed by (docs/explanation/same-results.md, Limits).
bool passes_by_after_a_change(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  return comes_to_calls_without_gradients(program, position, reached) && changed_since(program, position, reached);
}

// Eager's node of an operator on a list checks all that it has saved, a replay what it reads (docs/explanation/same-results.md, Limits).
bool goes_back_from_some_of_a_list_after_a_change(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  const auto has_other_results = [&](std::size_t number) {
    const body& body = program.bodies[call_action(program, number)->body];
    return has_operation(body, operation::second) && body.results.size() > 1;
  };
  return changed_since(program, position, reached) && std::any_of(reached.begin(), reached.end(), has_other_results);
}

// Of them LibTorch makes zeros for a Function of the user's own; a graphed call between takes its result for one that the backward does not
// come to (docs/explanation/same-results.md, Limits).
bool gives_zeros_to_a_function(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  const auto with_gradients = calls_with_gradients(program, position);
  return comes_to_calls_without_gradients(program, position, reached) && std::any_of(reached.begin(), reached.end(), [&](std::size_t call) {
           return with_gradients.count(call) == 0 && has_operation(program.bodies[call_action(program, call)->body], operation::custom);
         });
}

// A padded call's gradients have the layout of those of the filled-up batch (docs/how-to/padding.md).
bool shows_padded_strides(const program& program, const action& back, const std::set<std::size_t>& reached) {
  return back.what == kind::grad && back.how == action::loss::plain_sum &&
         std::any_of(reached.begin(), reached.end(),
                     [&](std::size_t call) { return program.bodies[call_action(program, call)->body].settings.pad.has_value(); });
}

// set_data between a forward and its backward changes what eager's backward reads (docs/explanation/how-it-works.md, Limits).
bool replaced_data_since(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  bool called = false;
  for (std::size_t i = 0; i < position; ++i) {
    const action& earlier = program.actions[i];
    called |= earlier.what == kind::call && reached.count(earlier.call) != 0;
    if (called && earlier.what == kind::set_data) {
      return true;
    }
  }
  return false;
}

// Whether every step from an argument that requires grad to this result saves a tensor.
bool always_saves(const program& program, const action& call, std::size_t root) {
  const body& body = program.bodies[call.body];
  if (root >= body.results.size() || !body.results[root] || body.results[root]->from != value::origin::step) {
    return false;
  }
  const value result = *body.results[root];
  const bool is_written = std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
    return step.op->has(operation::writes) && memory_of(body, step.operands[0]) == result;
  });
  value made = result;
  while (made.from == value::origin::step) {
    const step& step = body.steps[made.index];
    if (!step.op->has(operation::saves) || step.only_for_key) {
      return false;
    }
    made = step.operands[0];
  }
  return !is_written && made.from == value::origin::argument && body.arguments[made.index].grad;
}

// When action `position` comes.
bool has_detached_results(const program& program, std::size_t position, const action& call) {
  const auto now = program.actions.begin() + static_cast<std::ptrdiff_t>(position);
  return std::any_of(program.actions.begin(), now, [&](const action& action) {
    return (action.what == kind::detach_result || action.what == kind::drop_results) && action.call == call.call;
  });
}

// A second backward through one call is an error of graphed callables. Of eager it is one only where it meets a node that had saved a
// tensor, and autograd::grad may not go there. What the first did not reach may meet a tensor that was changed since, which is another
// error.
bool goes_back_twice_without_error(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  const action& back = program.actions[position];
  for (std::size_t i = 0; i < position; ++i) {
    const action& earlier = program.actions[i];
    if (!goes_back(earlier) || earlier.flag) {
      continue;
    }
    const auto released = reached_calls(program, i);
    if (std::none_of(reached.begin(), reached.end(), [&](std::size_t call) { return released.count(call) != 0; })) {
      continue;
    }
    const action& call = *call_action(program, back.call);
    const auto is_earlier = [&](std::size_t root) { return std::count(earlier.roots.begin(), earlier.roots.end(), root) != 0; };
    const bool is_error =
        reaches_all(earlier) && reaches_all(back) && earlier.call == back.call && back.others.empty() &&
        !has_detached_results(program, position, call) && std::all_of(back.roots.begin(), back.roots.end(), is_earlier) &&
        std::any_of(back.roots.begin(), back.roots.end(), [&](std::size_t root) { return always_saves(program, call, root); });
    if (!is_error) {
      return true;
    }
  }
  return false;
}

}  // namespace

const char* broken_rule_of_gradients(const program& program, std::size_t position) {
  const action& back = program.actions[position];
  const auto is_unknown = [&](std::size_t call) { return call_action(program, call) == nullptr; };
  if (is_unknown(back.call) || std::any_of(back.others.begin(), back.others.end(), is_unknown)) {
    return "a backward without its call";
  }
  const auto reached = reached_calls(program, position);
  if (sums_in_another_order(program, position, reached)) {
    return "a gradient is summed from uses inside and outside";
  }
  if (asks_for_some_after_a_change(program, position, reached)) {
    return "some gradients asked for after a change";
  }
  if (passes_by_after_a_change(program, position, reached)) {
    return "a call that a gradient passes by after a change";
  }
  if (goes_back_from_some_of_a_list_after_a_change(program, position, reached)) {
    return "a part of what an operator on a list has saved after a change";
  }
  if (gives_zeros_to_a_function(program, position, reached)) {
    return "zeros for a function upstream of a result without a gradient";
  }
  if (shows_padded_strides(program, back, reached)) {
    return "the strides of a padded call's gradients";
  }
  if (replaced_data_since(program, position, reached)) {
    return "set_data between a forward and its backward";
  }
  if (goes_back_twice_without_error(program, position, reached)) {
    return "a second backward that eager allows";
  }
  return nullptr;
}

}  // namespace graphed::fuzz
