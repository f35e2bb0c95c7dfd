// SPDX-License-Identifier: Apache-2.0
//
// Which declarations can be captured at all.
#pragma once

#include "scan/Finder.h"
#include "scan/Reporter.h"

namespace clang {
class FunctionDecl;
}

namespace graphgen::scan {

/// The function or method that is annotated, or null after complaining why it cannot be captured.
const clang::FunctionDecl* eligibleFunction(const AnnotatedDecl& Annotated, Reporter& Report);

}  // namespace graphgen::scan
