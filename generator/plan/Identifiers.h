// SPDX-License-Identifier: Apache-2.0
//
// Names for what is generated for a callable.
#pragma once

#include "plan/Plan.h"

#include <vector>

namespace graphgen::plan {

/// Sets Callable::Identifier and Scopes. Identifier is the function's name in CamelCase, with the class's name before a method's. As many
/// of the enclosing scopes come before them as distinguish the file's callables, and a number where that is not enough. No two differ in
/// case alone.
void nameCallables(std::vector<Callable>& Callables);

}  // namespace graphgen::plan
