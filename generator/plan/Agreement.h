// SPDX-License-Identifier: Apache-2.0
//
// Several annotations of one callable say the same of what holds for all of them: which scalars are key, const and live, and the options.
#pragma once

#include "plan/Plan.h"

#include <vector>

namespace graphgen::plan {

/// `Group` indexes the annotations of one callable among `Callables`; none of them has a problem of its own.
void checkAgreement(llvm::ArrayRef<annotation::Callable> Callables, llvm::ArrayRef<std::size_t> Group, std::vector<Problem>& Problems);

}  // namespace graphgen::plan
