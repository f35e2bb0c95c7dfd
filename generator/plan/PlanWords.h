// SPDX-License-Identifier: Apache-2.0
//
// What the manifest and people call the parts of a plan.
#pragma once

#include "plan/Plan.h"

namespace graphgen::plan {

llvm::StringRef wordFor(annotation::CallableKind Kind);
llvm::StringRef wordFor(OutputPolicy Policy);

/// "vector of tensors"
std::string wordFor(const Part& Part);

}  // namespace graphgen::plan
