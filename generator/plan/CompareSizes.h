// SPDX-License-Identifier: Apache-2.0
//
// Which calls had a graph and have none.
#pragma once

#include "plan/Plan.h"

#include <string>
#include <vector>

namespace graphgen::plan {

/// For each size of `Old`, what keeps its calls from the graph of `New` that comes nearest, or costs them more there. Arguments that only
/// one of the two has are left out: their calls do not compile any more.
std::vector<std::string> lostSizes(llvm::ArrayRef<Samples> Old, llvm::ArrayRef<Samples> New);

}  // namespace graphgen::plan
