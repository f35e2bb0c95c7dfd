// SPDX-License-Identifier: Apache-2.0
//
// --list-checks and --explain-check.
#pragma once

#include "driver/Options.h"

#include "llvm/ADT/StringRef.h"

namespace graphgen::driver {

/// Prints each check that the globs of the options choose, with its level and what it finds. Gives the program's exit status.
int listChecks(const Options& Given);

/// Prints the page of a diagnostic's id, or the one of this name, or names the nearest id. Gives the program's exit status.
int explainCheck(llvm::StringRef Id);

}  // namespace graphgen::driver
