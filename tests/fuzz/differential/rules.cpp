// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include "gradient_rules.h"
#include "identity.h"

#include <algorithm>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

// A hook on a result that the callable itself goes on to use sees in eager what comes back from there as well.
bool hooks_a_used_result(const program& program, const action& hook) {
  const action* call = call_action(program, hook.call);
  if (call == nullptr) {
    return false;
  }
  const body& body = program.bodies[call->body];
  if (hook.index >= body.results.size() || !body.results[hook.index]) {
    return false;
  }
  const value result = *body.results[hook.index];
  const auto shows_it = [&](value other) { return memory_of(body, other) == memory_of(body, result); };
  const bool is_used = std::any_of(body.steps.begin(), body.steps.end(),
                                   [&](const step& step) { return std::any_of(step.operands.begin(), step.operands.end(), shows_it); });
  const auto times = std::count_if(body.results.begin(), body.results.end(), [&](const auto& other) { return other && shows_it(*other); });
  return result.from != value::origin::step || is_used || times > 1;
}

// Hooks on an argument or a member do not run for gradients that the callable itself asks for (docs/explanation/how-it-works.md, Limits).
bool asks_past_a_hook(const program& program, std::size_t position) {
  const action& call = program.actions[position];
  if (call.what != kind::call) {
    return false;
  }
  const body& body = program.bodies[call.body];
  const auto is_hooked = [&](const identity& tensor) {
    return std::any_of(program.actions.begin(), program.actions.begin() + static_cast<std::ptrdiff_t>(position), [&](const action& hook) {
      if (hook.what == kind::hook_member) {
        return tensor == identity{identity::origin::member, 0, hook.index};
      }
      const action* hooked = hook.what == kind::hook_result ? call_action(program, hook.call) : nullptr;
      return hooked != nullptr && identity_of_result(program, *hooked, hook.index) == tensor;
    });
  };
  return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
    const value asked = memory_of(body, step.operands[0]);
    if (!step.op->has(operation::asks) || asked.from == value::origin::step) {
      return false;
    }
    return is_hooked(asked.from == value::origin::argument ? identity_of_argument(program, call, asked.index)
                                                           : identity{identity::origin::member, 0, asked.index});
  });
}

// Whether the value is one of several views that an operator made, or a view of one.
bool is_part(const body& body, value shown) {
  while (!(memory_of(body, shown) == shown)) {
    const step& step = body.steps[shown.index];
    if (step.op->has(operation::part)) {
      return true;
    }
    shown = step.op->has(operation::last) ? step.operands.back() : step.operands[0];
  }
  return false;
}

// Of several views that one operator made, as chunk() does, eager refuses to change any in place, and to use any after a change of what
// they show. Graphed, they are tensors like others (docs/explanation/how-it-works.md, Limits).
bool has_parts(const program& program, const identity& changed) {
  if (changed.from != identity::origin::result) {
    return false;
  }
  const body& body = program.bodies[call_action(program, changed.call)->body];
  if (changed.index >= body.results.size() || !body.results[changed.index]) {
    return false;
  }
  const value memory = memory_of(body, *body.results[changed.index]);
  return std::any_of(body.results.begin(), body.results.end(),
                     [&](const auto& other) { return other && memory_of(body, *other) == memory && is_part(body, *other); });
}

// In eager the others then have the change in their history (docs/explanation/same-results.md, Limits).
bool changes_memory_of_two_results(const program& program, const action& change) {
  const action* call = change.what == kind::change_result && !change.flag ? call_action(program, change.call) : nullptr;
  if (call == nullptr) {
    return false;
  }
  const body& body = program.bodies[call->body];
  const auto shows_it = [&](const auto& other) {
    return other && body.results[change.index] && memory_of(body, *other) == memory_of(body, *body.results[change.index]);
  };
  return change.index < body.results.size() && std::count_if(body.results.begin(), body.results.end(), shows_it) > 1;
}

bool changes_a_part(const program& program, const action& change) {
  const action* call = call_action(program, change.call);
  if (call == nullptr) {
    return false;
  }
  const body& body = program.bodies[call->body];
  switch (change.what) {
    case kind::change_result: {
      const bool is_there = change.index < body.results.size() && body.results[change.index];
      return (is_there && is_part(body, *body.results[change.index])) ||
             has_parts(program, identity_of_result(program, *call, change.index));
    }
    case kind::change_argument:
      return change.index < call->arguments.size() && has_parts(program, identity_of_argument(program, *call, change.index));
    case kind::call:
      return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
        const value memory = memory_of(body, step.operands[0]);
        return step.op->has(operation::writes) && memory.from == value::origin::argument &&
               has_parts(program, identity_of_argument(program, *call, memory.index));
      });
    default:
      return false;
  }
}

// A result shows the graph's own memory until the next call: the caller reads it at once, and goes back through it.
bool uses_an_aliased_result(const program& program, const action& use) {
  const auto is_aliased = [&](std::size_t number) {
    const action* call = call_action(program, number);
    return call != nullptr && program.bodies[call->body].settings.outputs == OutputPolicy::Alias;
  };
  return ((use.what == kind::change_result || use.what == kind::replace_result) && is_aliased(use.call)) ||
         std::any_of(use.arguments.begin(), use.arguments.end(),
                     [&](const source& source) { return source.from == source::origin::result && is_aliased(source.call); });
}

// A buffer that is written with a gradient's history would tie all later calls to this one; eager allows it, a capture refuses it, and
// nothing wants it. An argument that is written without being marked `inplace` is refused as well, and runs eagerly.
bool writes_a_member(const body& body) {
  return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
    return step.op->has(operation::writes) && memory_of(body, step.operands[0]).from == value::origin::member;
  });
}

bool comes_from(const body& body, value used, value memory) {
  if (memory_of(body, used) == memory) {
    return true;
  }
  return used.from == value::origin::step && std::any_of(body.steps[used.index].operands.begin(), body.steps[used.index].operands.end(),
                                                         [&](value operand) { return comes_from(body, operand, memory); });
}

// Where an operator writes a tensor that a node behind it saved, autograd's nodes keep each other alive, and what else they saved. A
// capture cannot distinguish that from what the backward needs (docs/explanation/how-it-works.md, Limits).
bool writes_what_it_comes_from(const body& body) {
  return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
    return step.op->has(operation::writes) && std::any_of(step.operands.begin() + 1, step.operands.end(), [&](value operand) {
             return comes_from(body, operand, memory_of(body, step.operands[0]));
           });
  });
}

// Graphed, a kernel gets aligned copies of its arguments (docs/explanation/same-results.md, Limits).
bool depends_on_alignment(const program& program) {
  const auto is_misaligned = [](const source& source) { return source.how == source::form::offset; };
  return std::any_of(program.actions.begin(), program.actions.end(),
                     [&](const action& action) { return std::any_of(action.arguments.begin(), action.arguments.end(), is_misaligned); }) &&
         std::any_of(program.bodies.begin(), program.bodies.end(), [](const body& body) {
           return std::any_of(body.steps.begin(), body.steps.end(), [](const step& step) { return step.op->has(operation::align); });
         });
}

}  // namespace

const char* broken_rule(const program& program, std::size_t first_action) {
  if (std::any_of(program.bodies.begin(), program.bodies.end(), writes_a_member)) {
    return "a callable writes a member with a history";
  }
  if (std::any_of(program.bodies.begin(), program.bodies.end(), writes_what_it_comes_from)) {
    return "an operator writes what it comes from";
  }
  if (depends_on_alignment(program)) {
    return "a misaligned argument of a kernel that depends on it";
  }
  for (std::size_t i = first_action; i < program.actions.size(); ++i) {
    const action& back = program.actions[i];
    if (back.what == kind::hook_result && hooks_a_used_result(program, back)) {
      return "a hook on a result that the callable uses";
    }
    if (asks_past_a_hook(program, i)) {
      return "a gradient is asked for past a hook on an argument";
    }
    if (uses_an_aliased_result(program, back)) {
      return "a use of an aliased result";
    }
    if (changes_memory_of_two_results(program, back)) {
      return "a change of memory that two results show";
    }
    if (changes_a_part(program, back)) {
      return "a change of one of several views";
    }
    const bool goes_back = back.what == kind::backward || back.what == kind::grad;
    if (const char* broken = goes_back ? broken_rule_of_gradients(program, i) : nullptr) {
      return broken;
    }
  }
  return nullptr;
}

}  // namespace graphed::fuzz
