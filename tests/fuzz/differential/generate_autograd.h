// SPDX-License-Identifier: Apache-2.0
//
// What a caller does to leaves, their gradients and the graphs that lead to them.
#pragma once

#include "dice.h"
#include "program.h"

namespace graphed::fuzz {

/// Adds parameters that may be given as arguments.
void add_leaves(dice& dice, program& program);

std::optional<std::size_t> random_parameter(dice& dice, const program& program);

/// The last parameter that matches the argument.
std::optional<std::size_t> member_like(const program& program, const testing::argument& argument);

/// Of members, of a callable's captures, or of `call`, which is one of `called`.
action random_autograd_action(dice& dice, const program& program, const body& called, std::size_t call);

}  // namespace graphed::fuzz
