// SPDX-License-Identifier: Apache-2.0
//
// A function's declaration as an annotation::Declaration.
#pragma once

#include "scan/Reporter.h"

#include "annotation/Callable.h"

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class FunctionDecl;
class Sema;
}  // namespace clang

namespace graphgen::scan {

/// Fills name, kind, object, parameters and result of `Declaration`, and complains about parameters and results that cannot be captured.
/// `Said` is what the annotation says of its arguments.
void readSignature(clang::Sema& Sema, const clang::FunctionDecl& Function, clang::SourceLocation Annotation,
                   llvm::ArrayRef<annotation::Field> Said, Reporter& Report, annotation::Declaration& Declaration);

}  // namespace graphgen::scan
