// SPDX-License-Identifier: Apache-2.0
//
// Random callables.
#pragma once

#include "conditions.h"
#include "dice.h"
#include "program.h"

namespace graphed::fuzz {

/// A callable of its own or of shared members, which runs forward and backward as declared. Adds the members that it needs.
body generate_body(dice& dice, program& program, const conditions& on);

}  // namespace graphed::fuzz
