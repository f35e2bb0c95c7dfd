// SPDX-License-Identifier: Apache-2.0
//
// What programs may not do, because graphed callables do not promise to follow eager there.
#pragma once

#include "program.h"

#include <cstddef>

namespace graphed::fuzz {

/// The first rule that the program breaks, or null. Every program that is run breaks none. Those actions that come before `first_action`
/// are known to break none.
const char* broken_rule(const program& program, std::size_t first_action = 0);

}  // namespace graphed::fuzz
