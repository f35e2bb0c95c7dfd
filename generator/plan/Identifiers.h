// SPDX-License-Identifier: Apache-2.0
//
// Names for what is generated for a callable.
#pragma once

#include "plan/Plan.h"

#include <vector>

namespace graphgen::plan {

/// Sets Identifier, Scopes and File of the callables of the file `Input`. Identifier is the function's name in CamelCase, with the class's name before a method's. As many
/// of the enclosing scopes come before them as distinguish the file's callables, and a number where that is not enough. No two differ in
/// case alone.
void nameCallables(llvm::StringRef Input, std::vector<Callable>& Callables);

}  // namespace graphgen::plan
