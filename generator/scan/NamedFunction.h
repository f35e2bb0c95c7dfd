// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED_FOR(&lib::f, ...): the function that an annotation names away from its declaration.
#pragma once

#include "scan/Finder.h"
#include "scan/Reporter.h"

namespace clang {
class FunctionDecl;
class Sema;
class VarDecl;
}  // namespace clang

namespace graphgen::scan {

/// The function or method whose address the variable holds that GRAPHED_FOR is in a scan; null where it holds another value, or none.
const clang::FunctionDecl* namedFunction(const clang::VarDecl& Holder);

/// Complains of a GRAPHED_FOR that names no function, or that is not at namespace scope.
void refuseNamed(const AnnotatedDecl& Annotated, Reporter& Report);

/// The same of one that the compiler made nothing of.
void refuseNamed(const MacroText& Text, Reporter& Report);

/// Whether no ';' follows a GRAPHED_FOR, so that the compiler may have lost what is behind it.
bool isOpenEnded(const MacroText& Text, const clang::Sema& Sema);
void refuseOpenEnd(const MacroText& Text, const clang::Sema& Sema, Reporter& Report);

}  // namespace graphgen::scan
