// SPDX-License-Identifier: Apache-2.0
//
// What programs may not do, because graphed callables do not promise to follow eager there.
#pragma once

#include "program.h"

namespace graphed::fuzz {

/// The first rule that the program breaks, or null. Every program that is run breaks none.
const char* broken_rule(const program& program);

}  // namespace graphed::fuzz
