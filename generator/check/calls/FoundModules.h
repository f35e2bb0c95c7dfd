// SPDX-License-Identifier: Apache-2.0
//
// Modules that a callable finds among others and runs: `for (auto& m : *layers) x = m->as<Linear>()->forward(x)`.
#pragma once

#include "check/calls/HeldModules.h"

#include <vector>

namespace graphgen::check {

/// Those that a run may be of: of an element the modules of its class in the container that it comes from, or among what `children()` and
/// `modules()` give of `this`; of an AnyModule or a Sequential all in the container, also of one that a function makes. In the order of the
/// text; nothing where the unit does not tell.
std::vector<HeldModule> modulesFound(const ModuleRun& Run, const UnitIndex& Index);

}  // namespace graphgen::check
