// SPDX-License-Identifier: Apache-2.0
//
// Findings as a reader gets them. Places in macros are shown by the line that uses the macro. Of several equal ones, text has a few and the
// lines of the others. The other formats have each.
#pragma once

#include "check/Findings.h"

#include "scan/Reporter.h"

#include "llvm/ADT/ArrayRef.h"

namespace graphgen::check {

/// `All`: in the order of the translation unit.
void present(llvm::ArrayRef<Finding> All, scan::Reporter& Report);

}  // namespace graphgen::check
