// SPDX-License-Identifier: Apache-2.0
//
// What backwards may not do.
#pragma once

#include "program.h"

namespace graphed::fuzz {

/// The first rule that action `position`, a backward, breaks, or null.
const char* broken_rule_of_gradients(const program& program, std::size_t position);

}  // namespace graphed::fuzz
