// SPDX-License-Identifier: Apache-2.0
//
// That what is written stays below the output folder.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace graphgen::emit {

/// Fails where a symbolic link between `OutDir` and `File`, a path that begins with it, leads out of `OutDir`, or nowhere. `OutDir` itself
/// may be reached by links. The error names the link and where it leads.
llvm::Error checkStaysInside(llvm::StringRef OutDir, llvm::StringRef File);

}  // namespace graphgen::emit
