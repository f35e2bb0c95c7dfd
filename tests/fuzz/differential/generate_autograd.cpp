// SPDX-License-Identifier: Apache-2.0
#include "generate_autograd.h"

#include <algorithm>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

// One that is written cannot be a leaf.
bool may_be_leaf(const testing::argument& argument, c10::ScalarType dtype) {
  return argument.grad && !argument.inplace && argument.dtype == dtype &&
         std::count(argument.shape.begin(), argument.shape.end(), testing::B) == 0;
}

action of_member(kind what, std::size_t member) {
  action made{what};
  made.index = member;
  return made;
}

}  // namespace

void add_leaves(dice& dice, program& program) {
  for (const auto& body : program.bodies) {
    for (const auto& argument : body.arguments) {
      if (may_be_leaf(argument, program.dtype) && !member_like(program, argument) && dice.chance(50)) {
        program.members.push_back({argument.shape, /*is_parameter=*/true});
      }
    }
  }
}

std::optional<std::size_t> random_parameter(dice& dice, const program& program) {
  const std::size_t member = program.members.empty() ? 0 : dice.below(program.members.size());
  return member < program.members.size() && program.members[member].is_parameter ? std::optional(member) : std::nullopt;
}

std::optional<std::size_t> member_like(const program& program, const testing::argument& argument) {
  for (std::size_t i = program.members.size(); i-- > 0 && may_be_leaf(argument, program.dtype);) {
    if (program.members[i].is_parameter && program.members[i].sizes == argument.shape) {
      return i;
    }
  }
  return std::nullopt;
}

action random_autograd_action(dice& dice, const program& program, const body& called, std::size_t call) {
  static const std::vector<kind> of_members{kind::hold_grad, kind::scale_grad, kind::give_grad,
                                            kind::freeze,    kind::freeze,     kind::hook_member};
  static const std::vector<kind> of_calls{kind::drop_results, kind::detach_result, kind::replace_result, kind::freeze_argument};
  if (dice.chance(4)) {
    action made{kind::reset};
    made.body = dice.below(program.bodies.size());
    return made;
  }
  if (const auto parameter = random_parameter(dice, program); parameter && dice.chance(50)) {
    return of_member(dice.pick(of_members), *parameter);
  }
  action made{dice.pick(of_calls)};
  made.call = call;
  made.index = dice.below(made.what == kind::freeze_argument ? called.arguments.size() : called.results.size());
  return made;
}

}  // namespace graphed::fuzz
