// SPDX-License-Identifier: Apache-2.0
//
// The constants that an annotation names, as the language would find them where the annotation stands.
#pragma once

#include "scan/MacroText.h"
#include "scan/Reporter.h"

#include "annotation/Evaluate.h"

namespace clang {
class DeclContext;
class FunctionDecl;
class Sema;
}  // namespace clang

namespace graphgen::scan {

/// `Function` is annotated with `Text`, or an instance of a template that is: its arguments are among the names. `Scope` is that of the
/// annotation.
/// The values of the names in dims, counts and options; one that names no integer constant is complained of. The translation unit must have
/// been read to its end.
annotation::Constants findConstants(clang::Sema& Sema, const clang::FunctionDecl& Function, const clang::DeclContext& Scope,
                                    const MacroText& Text, const annotation::Annotation& Spec, Reporter& Report);

}  // namespace graphgen::scan
