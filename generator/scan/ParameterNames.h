// SPDX-License-Identifier: Apache-2.0
//
// The names by which an annotation refers to a function's parameters.
#pragma once

#include "scan/Reporter.h"

#include "clang/Basic/SourceLocation.h"

#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
}

namespace graphgen::scan {

/// Of a parameter that has no name in `Function`: that of another declaration which is before the annotation or in its file, else its
/// position, "_1" for the first. Complains where they give it several, and where its position is another parameter's name.
std::vector<std::string> parameterNames(const clang::FunctionDecl& Function, clang::SourceLocation Annotation, Reporter& Report);

}  // namespace graphgen::scan
