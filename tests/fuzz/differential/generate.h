// SPDX-License-Identifier: Apache-2.0
//
// Random programs.
#pragma once

#include "conditions.h"
#include "program.h"

namespace graphed::fuzz {

/// The same program for the same seed and conditions. It breaks no rule, and its callables run as they are declared.
program generate(uint64_t seed, const conditions& on);

}  // namespace graphed::fuzz
