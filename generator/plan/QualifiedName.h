// SPDX-License-Identifier: Apache-2.0
//
// Names such as "app::Net<app::Config>::forward".
#pragma once

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace graphgen::plan {

/// "app", "Net<app::Config>", "forward".
std::vector<llvm::StringRef> componentsOf(llvm::StringRef QualifiedName);

}  // namespace graphgen::plan
