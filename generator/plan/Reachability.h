// SPDX-License-Identifier: Apache-2.0
//
// Several annotations of one callable, and several values of dimension variables, are of different shapes.
#pragma once

#include "plan/Plan.h"

namespace graphgen::plan {

/// A call is served by the first sample that it matches: one of the shapes of an earlier one would never be chosen. `Group` has the index
/// of each of the callable's annotations.
void checkReachability(const Callable& Planned, llvm::ArrayRef<std::size_t> Group, std::vector<Problem>& Problems);

}  // namespace graphgen::plan
