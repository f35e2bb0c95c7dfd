// SPDX-License-Identifier: Apache-2.0
#include "identity.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

bool writes(const body& body, std::size_t argument) {
  const value written{value::origin::argument, argument};
  return body.arguments[argument].inplace || std::any_of(body.steps.begin(), body.steps.end(), [&](const step& step) {
           return step.op->has(operation::writes) && memory_of(body, step.operands[0]) == written;
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
  if (source.from == source::origin::member) {
    return {identity::origin::member, 0, source.index};
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

namespace {

bool is_taken(const step& step, const action& call) { return !step.only_for_key || *step.only_for_key == call.key; }

// Whether a gradient that comes into these values goes on to the argument.
bool leads_to(const body& body, const action& call, std::vector<value> pending, std::size_t argument) {
  std::set<std::pair<value::origin, std::size_t>> seen;
  while (!pending.empty()) {
    const value next = pending.back();
    pending.pop_back();
    if (!seen.emplace(next.from, next.index).second) {
      continue;
    }
    const auto go_on = [&](const step& step) {
      if (!is_taken(step, call)) {
        pending.push_back(step.operands[0]);
      } else if (!step.op->has(operation::cuts)) {
        pending.insert(pending.end(), step.operands.begin() + (step.op->has(operation::second) ? 1 : 0), step.operands.end());
      }
    };
    if (next.from == value::origin::step) {
      go_on(body.steps[next.index]);
    }
    for (const auto& step : body.steps) {
      if (step.op->has(operation::writes) && memory_of(body, step.operands[0]) == memory_of(body, next)) {
        go_on(step);
      }
    }
  }
  return seen.count({value::origin::argument, argument}) != 0;
}

using passes = std::function<bool(const action& call, std::size_t argument)>;

std::set<std::size_t> reached_calls(const program& program, std::size_t position, std::size_t call, const passes& passes_on) {
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
      if (!passes_on(*from, i)) {
        continue;
      }
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

}  // namespace

std::set<std::size_t> reached_calls(const program& program, std::size_t position, std::size_t call) {
  return reached_calls(program, position, call, [](const action& /*call*/, std::size_t /*argument*/) { return true; });
}

std::set<std::size_t> calls_with_gradients(const program& program, std::size_t position) {
  const action& back = program.actions[position];
  const auto passes_on = [&](const action& call, std::size_t argument) {
    const body& body = program.bodies[call.body];
    std::vector<value> roots;
    for (std::size_t i = 0; i < body.results.size(); ++i) {
      const bool is_root = call.call != back.call || std::count(back.roots.begin(), back.roots.end(), i) != 0;
      if (is_root && body.results[i]) {
        roots.push_back(*body.results[i]);
      }
    }
    for (std::size_t i = 0; i < body.arguments.size() && call.call != back.call; ++i) {
      roots.push_back({value::origin::argument, i});  // a later call may have gone on from what this one wrote there
    }
    return leads_to(body, call, std::move(roots), argument);
  };
  std::set<std::size_t> reached = reached_calls(program, position, back.call, passes_on);
  for (const std::size_t other : back.others) {
    reached.merge(reached_calls(program, position, other, passes_on));
  }
  return reached;
}

std::set<std::size_t> reached_calls(const program& program, std::size_t position) {
  const action& back = program.actions[position];
  std::set<std::size_t> reached = reached_calls(program, position, back.call);
  for (const std::size_t other : back.others) {
    reached.merge(reached_calls(program, position, other));
  }
  return reached;
}

}  // namespace graphed::fuzz
