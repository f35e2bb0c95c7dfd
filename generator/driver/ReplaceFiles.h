// SPDX-License-Identifier: Apache-2.0
//
// New contents for the user's own files.
#pragma once

#include "report/Fixes.h"

namespace graphgen::driver {

/// Every file is first compared with what was read of it: where one has changed, or cannot be written to, none is. Links are followed,
/// permissions kept.
llvm::Error replaceFiles(const std::map<std::string, report::FixedFile>& Files);

}  // namespace graphgen::driver
