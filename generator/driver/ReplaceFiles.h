// SPDX-License-Identifier: Apache-2.0
//
// New contents for the user's own files.
#pragma once

#include "report/Fixes.h"

namespace graphgen::driver {

/// All or, after an error, none: every file is first compared with what was read of it, then written beside itself, and only then are they
/// put in place. Links are followed, permissions kept.
llvm::Error replaceFiles(const std::map<std::string, report::FixedFile>& Files);

}  // namespace graphgen::driver
