// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include "evaluate.h"

#include <algorithm>
#include <set>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

template <class List>
void erase_at(List& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

bool refers_to_call(const action& action) {
  switch (action.what) {
    case kind::backward:
    case kind::grad:
    case kind::drop:
    case kind::change_result:
    case kind::change_argument:
    case kind::hook_result:
    case kind::drop_results:
    case kind::detach_result:
    case kind::replace_result:
    case kind::freeze_argument:
      return true;
    default:
      return false;
  }
}

template <class F>
void for_each_value(body& body, F&& f) {
  for (auto& step : body.steps) {
    for (auto& operand : step.operands) {
      f(operand);
    }
  }
  for (auto& result : body.results) {
    if (result) {
      f(*result);
    }
  }
}

bool names_member(const action& action) {
  switch (action.what) {
    case kind::set_data:
    case kind::freeze:
    case kind::hook_member:
    case kind::hold_grad:
    case kind::scale_grad:
    case kind::give_grad:
      return true;
    default:
      return false;
  }
}

void forget_member(std::optional<std::size_t>& named, std::size_t member) {
  if (named == member) {
    named.reset();
  } else if (named > member) {
    --*named;
  }
}

template <class F>
void for_each_member_source(program& program, F&& f) {
  for (auto& action : program.actions) {
    for (auto& source : action.arguments) {
      if (source.from == source::origin::member) {
        f(source);
      }
    }
  }
}

std::set<std::size_t> calls_of(const program& program, std::size_t body) {
  std::set<std::size_t> calls;
  for (const auto& action : program.actions) {
    if (action.what == kind::call && action.body == body) {
      calls.insert(action.call);
    }
  }
  return calls;
}

// Sources of one origin that named part `removed` of one of `calls` become fresh, and later parts move up.
void renumber_sources(program& program, source::origin from, const std::set<std::size_t>& calls, std::size_t removed) {
  for (auto& action : program.actions) {
    for (auto& source : action.arguments) {
      if (source.from != from || calls.count(source.call) == 0) {
        continue;
      }
      if (source.index == removed) {
        source = {};
      } else if (source.index > removed) {
        --source.index;
      }
    }
  }
}

}  // namespace

program without_action(program program, std::size_t index) {
  const action removed = program.actions[index];
  erase_at(program.actions, index);
  if (removed.what != kind::call) {
    return program;
  }
  const auto refers = [&](const action& action) { return refers_to_call(action) && action.call == removed.call; };
  program.actions.erase(std::remove_if(program.actions.begin(), program.actions.end(), refers), program.actions.end());
  for (auto& action : program.actions) {
    action.others.erase(std::remove(action.others.begin(), action.others.end(), removed.call), action.others.end());
    for (auto& source : action.arguments) {
      const bool is_of_a_call = source.from == source::origin::again || source.from == source::origin::result;
      if (is_of_a_call && source.call == removed.call) {
        source = {};
      }
    }
  }
  return program;
}

program without_body(program program, std::size_t index) {
  erase_at(program.bodies, index);
  const auto resets_it = [&](const action& action) { return action.what == kind::reset && action.body == index; };
  program.actions.erase(std::remove_if(program.actions.begin(), program.actions.end(), resets_it), program.actions.end());
  for (auto& action : program.actions) {
    if (action.body > index) {
      --action.body;
    }
  }
  return program;
}

program without_step(program program, std::size_t body, std::size_t step, std::size_t instead) {
  auto& reduced = program.bodies[body];
  const value replacement = reduced.steps[step].operands[instead];
  erase_at(reduced.steps, step);
  for_each_value(reduced, [&](value& value) {
    if (value.from != value::origin::step || value.index < step) {
      return;
    }
    if (value.index == step) {
      value = replacement;
    } else {
      --value.index;
    }
  });
  return program;
}

program without_result(program program, std::size_t body, std::size_t result) {
  erase_at(program.bodies[body].results, result);
  const auto calls = calls_of(program, body);
  renumber_sources(program, source::origin::result, calls, result);
  for (auto& action : program.actions) {
    if (!refers_to_call(action) || calls.count(action.call) == 0) {
      continue;
    }
    action.roots.erase(std::remove(action.roots.begin(), action.roots.end(), result), action.roots.end());
    for (auto& root : action.roots) {
      root -= root > result ? 1 : 0;
    }
    const bool names_result = action.what == kind::change_result || action.what == kind::hook_result ||
                              action.what == kind::detach_result || action.what == kind::replace_result;
    action.index -= names_result && action.index > result ? 1 : 0;
  }
  return program;
}

program without_argument(program program, std::size_t body, std::size_t argument) {
  auto& reduced = program.bodies[body];
  erase_at(reduced.arguments, argument);
  reduced.settings.list_from -= argument < reduced.settings.list_from ? 1 : 0;
  for_each_value(reduced, [&](value& value) {
    if (value.from == value::origin::argument && value.index >= argument && value.index != 0) {
      --value.index;
    }
  });
  const auto calls = calls_of(program, body);
  renumber_sources(program, source::origin::again, calls, argument);
  for (auto& action : program.actions) {
    if (names_body(action) && action.body == body && argument < action.arguments.size()) {
      erase_at(action.arguments, argument);
    }
    const bool names_argument =
        (action.what == kind::change_argument || action.what == kind::freeze_argument) && calls.count(action.call) != 0;
    action.index -= names_argument && action.index > argument ? 1 : 0;
  }
  return program;
}

program without_variable(program program, std::size_t body) {
  auto& reduced = program.bodies[body];
  for (auto& argument : reduced.arguments) {
    argument.shape = shape_of(argument, reduced.settings.sizes.front());
  }
  reduced.settings.sizes = {0};
  reduced.settings.pad.reset();
  return program;
}

program without_unused_members(program program) {
  std::vector<bool> used(program.members.size());
  for (auto& body : program.bodies) {
    for_each_value(body, [&](value& value) {
      if (value.from == value::origin::member) {
        used[value.index] = true;
      }
    });
  }
  for_each_member_source(program, [&](const source& source) { used[source.index] = true; });
  for (std::size_t i = program.members.size(); i-- > 0;) {
    if (used[i]) {
      continue;
    }
    erase_at(program.members, i);
    for (auto& body : program.bodies) {
      for_each_value(body, [&](value& value) { value.index -= value.from == value::origin::member && value.index > i ? 1 : 0; });
    }
    const auto is_of_it = [&](const action& action) { return names_member(action) && action.index == i; };
    program.actions.erase(std::remove_if(program.actions.begin(), program.actions.end(), is_of_it), program.actions.end());
    for (auto& action : program.actions) {
      action.index -= names_member(action) && action.index > i ? 1 : 0;
      forget_member(action.used, i);
      forget_member(action.only, i);
    }
    for_each_member_source(program, [&](source& source) { source.index -= source.index > i ? 1 : 0; });
  }
  return program;
}

}  // namespace graphed::fuzz
