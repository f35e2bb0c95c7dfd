// SPDX-License-Identifier: Apache-2.0
//
// --compare.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace graphgen::driver {

/// Prints what became less graphable. The program's exit status: 0 nothing, 1 something, 2 a file that is not a manifest of this version.
int compareManifests(llvm::StringRef OldFile, llvm::StringRef NewFile);

}  // namespace graphgen::driver
