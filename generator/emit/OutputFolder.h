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

/// Makes `File` hold `Content`, as writeIfChanged does, where checkStaysInside finds nothing wrong. Links that are put in the place of its
/// folders or of itself meanwhile are not followed. What is there must be a regular file.
llvm::Error writeInside(llvm::StringRef OutDir, llvm::StringRef File, llvm::StringRef Content);

}  // namespace graphgen::emit
