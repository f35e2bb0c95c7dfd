// SPDX-License-Identifier: Apache-2.0
//
// Other programs, asked for their versions.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace graphgen::doctor {

/// What the program prints to standard output. Nothing where it cannot be run or fails.
std::optional<std::string> outputOf(llvm::StringRef Path, llvm::ArrayRef<llvm::StringRef> Arguments);

/// The program of this name on PATH; empty where there is none.
std::string programOnPath(llvm::StringRef Name);

/// The first "1.2" or "1.2.3" of a text; empty where there is none.
std::string versionIn(llvm::StringRef Text);

}  // namespace graphgen::doctor
