// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <algorithm>
#include <map>
#include <utility>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

/// A tensor of the caller's: argument or result `index` of `call`, or a member.
struct identity {
  enum class origin { argument, result, member, kept };
  origin from;
  std::size_t call;
  std::size_t index;

  bool operator<(const identity& other) const { return std::tie(from, call, index) < std::tie(other.from, other.call, other.index); }
  bool operator==(const identity& other) const { return from == other.from && call == other.call && index == other.index; }
};

bool goes_back(const action& action) { return action.what == kind::backward || action.what == kind::grad; }

identity identity_of_argument(const program& program, const action& call, std::size_t index);

// A result that shows an argument or a member counts as that.
identity identity_of_result(const program& program, const action& call, std::size_t index) {
  const body& body = program.bodies[call.body];
  if (index < body.results.size() && body.results[index]) {
    const value root = memory_of(body, *body.results[index]);
    if (root.from == value::origin::argument) {
      return identity_of_argument(program, call, root.index);
    }
    if (root.from == value::origin::member) {
      return {identity::origin::member, 0, root.index};
    }
  }
  return {identity::origin::result, call.call, index};
}

identity identity_of_argument(const program& program, const action& call, std::size_t index) {
  if (index >= call.arguments.size()) {
    return {identity::origin::argument, call.call, index};  // absent
  }
  const source& source = call.arguments[index];
  if (source.from == source::origin::kept) {
    return {identity::origin::kept, call.body, index};
  }
  if (source.from != source::origin::fresh) {
    const action* earlier = call_action(program, source.call);
    if (earlier != nullptr && source.from == source::origin::again && source.index < earlier->arguments.size()) {
      return identity_of_argument(program, *earlier, source.index);
    }
    if (earlier != nullptr && source.from == source::origin::result) {
      return identity_of_result(program, *earlier, source.index);
    }
  }
  return {identity::origin::argument, call.call, index};
}

// How many edges lead from the body's steps and results to a value.
std::size_t uses_of(const body& body, value used) {
  std::size_t uses = 0;
  for (const auto& step : body.steps) {
    const auto here = static_cast<std::size_t>(std::count(step.operands.begin(), step.operands.end(), used));
    uses += here * (step.op->has(operation::repeats) ? 2 : 1);
  }
  for (const auto& result : body.results) {
    if (result && memory_of(body, *result) == used) {
      ++uses;
    }
  }
  return uses;
}

bool writes(const body& body, std::size_t argument) {
  const value written{value::origin::argument, argument};
  return body.arguments[argument].inplace || std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
           return step.op->has(operation::writes) && memory_of(body, step.operands[0]) == written;
         });
}

// A gradient that is summed from uses inside a callable and from others outside of it is summed in another order than in eager: the last
// bit may differ (design.md, 3.1). So whatever has two consumers has no consumer that uses it twice.
bool sums_in_another_order(const program& program, std::size_t position, const action& back) {
  std::map<identity, std::vector<std::size_t>> consumers;
  for (const std::size_t number : reached_calls(program, position, back.call)) {
    const action& call = *call_action(program, number);
    const body& body = program.bodies[call.body];
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      consumers[identity_of_argument(program, call, i)].push_back(uses_of(body, {value::origin::argument, i}));
    }
    for (std::size_t i = 0; i < program.members.size(); ++i) {
      if (const auto uses = uses_of(body, {value::origin::member, i}); uses != 0) {
        consumers[{identity::origin::member, 0, i}].push_back(uses);
      }
    }
  }
  for (const std::size_t root : back.roots) {
    consumers[identity_of_result(program, *call_action(program, back.call), root)].push_back(1);
  }
  return std::any_of(consumers.begin(), consumers.end(), [](const auto& entry) {
    return entry.second.size() > 1 && *std::max_element(entry.second.begin(), entry.second.end()) > 1;
  });
}

// set_data between a forward and its backward changes what eager's backward reads (docs/how-it-works.md, Limits).
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

// A second backward through one call is an error of graphed callables; of eager only where it meets a node that had saved a tensor, and
// autograd::grad may not go there. What the first did not reach may meet a tensor that was changed since, which is another error.
bool goes_back_twice_without_error(const program& program, std::size_t position, const std::set<std::size_t>& reached) {
  const action& back = program.actions[position];
  for (std::size_t i = 0; i < position; ++i) {
    const action& earlier = program.actions[i];
    if (!goes_back(earlier) || earlier.flag) {
      continue;
    }
    const auto released = reached_calls(program, i, earlier.call);
    if (std::none_of(reached.begin(), reached.end(), [&](std::size_t call) { return released.count(call) != 0; })) {
      continue;
    }
    const action& call = *call_action(program, back.call);
    const auto is_earlier = [&](std::size_t root) { return std::count(earlier.roots.begin(), earlier.roots.end(), root) != 0; };
    const bool is_error =
        earlier.what == kind::backward && back.what == kind::backward && earlier.call == back.call &&
        std::all_of(back.roots.begin(), back.roots.end(), is_earlier) &&
        std::any_of(back.roots.begin(), back.roots.end(), [&](std::size_t root) { return always_saves(program, call, root); });
    if (!is_error) {
      return true;
    }
  }
  return false;
}

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

// Hooks on an argument do not run for gradients that the callable itself asks for (docs/how-it-works.md, Limits).
bool asks_past_a_hook(const program& program, std::size_t position) {
  const action& call = program.actions[position];
  if (call.what != kind::call) {
    return false;
  }
  const body& body = program.bodies[call.body];
  const auto is_hooked = [&](const identity& tensor) {
    return std::any_of(program.actions.begin(), program.actions.begin() + static_cast<std::ptrdiff_t>(position), [&](const action& hook) {
      const action* hooked = hook.what == kind::hook_result ? call_action(program, hook.call) : nullptr;
      return hooked != nullptr && identity_of_result(program, *hooked, hook.index) == tensor;
    });
  };
  return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
    const value asked = memory_of(body, step.operands[0]);
    return step.op->has(operation::asks) && asked.from == value::origin::argument &&
           is_hooked(identity_of_argument(program, call, asked.index));
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
// they show; graphed, they are tensors like others (docs/how-it-works.md, Limits).
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
    return call != nullptr && program.bodies[call->body].settings.outputs == output_policy::alias;
  };
  return (use.what == kind::change_result && is_aliased(use.call)) ||
         std::any_of(use.arguments.begin(), use.arguments.end(),
                     [&](const source& source) { return source.from == source::origin::result && is_aliased(source.call); });
}

// A buffer that is written with a gradient's history would tie all later calls to this one; eager allows it, a capture refuses it, and
// nobody wants it. An argument that is written without being marked `inplace` is refused as well, and runs plainly.
bool writes_a_member(const body& body) {
  return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
    return step.op->has(operation::writes) && memory_of(body, step.operands[0]).from == value::origin::member;
  });
}

// Of a tensor that is written and read by one operator, LibTorch's node keeps itself alive, and what else its graph saved: a capture cannot
// tell that from what the backward needs.
bool writes_what_it_reads(const body& body) {
  return std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
    return step.op->has(operation::writes) && step.operands.size() > 1 &&
           memory_of(body, step.operands[0]) == memory_of(body, step.operands[1]);
  });
}

}  // namespace

const action* call_action(const program& program, std::size_t call) {
  for (const auto& action : program.actions) {
    if (action.what == kind::call && action.call == call) {
      return &action;
    }
  }
  return nullptr;
}

value memory_of(const body& body, value shown) {
  while (shown.from == value::origin::step) {
    const step& step = body.steps[shown.index];
    if (step.op->has(operation::last)) {
      shown = step.operands.back();
    } else if (step.op->has(operation::view) || step.op->has(operation::writes) || step.only_for_key) {
      shown = step.operands[0];
    } else {
      break;
    }
  }
  return shown;
}

std::set<std::size_t> reached_calls(const program& program, std::size_t position, std::size_t call) {
  std::set<std::size_t> reached{call};
  std::vector<std::size_t> pending{call};
  const auto reach = [&](std::size_t next) {
    if (reached.insert(next).second) {
      pending.push_back(next);
    }
  };
  while (!pending.empty()) {
    const action* from = call_action(program, pending.back());
    pending.pop_back();
    if (from == nullptr) {
      continue;
    }
    std::set<identity> tensors;
    for (std::size_t i = 0; i < from->arguments.size(); ++i) {
      const identity tensor = identity_of_argument(program, *from, i);
      tensors.insert(tensor);
      if (tensor.from == identity::origin::result) {
        reach(tensor.call);
      }
    }
    for (std::size_t i = 0; i < position; ++i) {  // an `inplace` argument's history is the last call that wrote it
      const action& other = program.actions[i];
      if (other.what != kind::call) {
        continue;
      }
      for (std::size_t j = 0; j < other.arguments.size(); ++j) {
        if (writes(program.bodies[other.body], j) && tensors.count(identity_of_argument(program, other, j)) != 0) {
          reach(other.call);
        }
      }
    }
  }
  return reached;
}

const char* broken_rule(const program& program) {
  if (std::any_of(program.bodies.begin(), program.bodies.end(), writes_a_member)) {
    return "a callable writes a member with a history";
  }
  if (std::any_of(program.bodies.begin(), program.bodies.end(), writes_what_it_reads)) {
    return "an operator writes what it reads";
  }
  for (std::size_t i = 0; i < program.actions.size(); ++i) {
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
    if (changes_a_part(program, back)) {
      return "a change of one of several views";
    }
    if (!goes_back(back)) {
      continue;
    }
    if (call_action(program, back.call) == nullptr) {
      return "a backward without its call";
    }
    const auto reached = reached_calls(program, i, back.call);
    if (sums_in_another_order(program, i, back)) {
      return "a gradient is summed from uses inside and outside";
    }
    if (replaced_data_since(program, i, reached)) {
      return "set_data between a forward and its backward";
    }
    if (goes_back_twice_without_error(program, i, reached)) {
      return "a second backward that eager allows";
    }
  }
  return nullptr;
}

}  // namespace graphed::fuzz
