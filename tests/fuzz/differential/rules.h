// SPDX-License-Identifier: Apache-2.0
//
// What programs may not do, because graphed callables do not promise to follow eager there.
#pragma once

#include "program.h"

#include <set>

namespace graphed::fuzz {

/// The first rule that the program breaks, or null. Every program that is run breaks none.
const char* broken_rule(const program& program);

/// The argument, member or step whose memory a value of a body may show.
value memory_of(const body& body, value shown);

/// The calls that a gradient of `call` may reach, itself included, when action `position` comes.
std::set<std::size_t> reached_calls(const program& program, std::size_t position, std::size_t call);

/// The action that makes `call`, or null.
const action* call_action(const program& program, std::size_t call);

}  // namespace graphed::fuzz
