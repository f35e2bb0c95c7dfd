// SPDX-License-Identifier: Apache-2.0
//
// Which declarations can be captured at all.
#pragma once

#include "scan/Finder.h"
#include "scan/Reporter.h"

#include <vector>

namespace clang {
class FunctionDecl;
}

namespace graphgen::scan {

/// The function or method that is annotated, or the chosen instances of a template. Complains why it cannot be captured, and then gives
/// nothing, unless only generated code cannot come to it.
std::vector<const clang::FunctionDecl*> eligibleFunctions(const AnnotatedDecl& Annotated, Reporter& Report);

}  // namespace graphgen::scan
