// SPDX-License-Identifier: Apache-2.0
//
// Annotations that belong to no declaration: what follows them says what was meant.
#pragma once

#include "scan/CompilerErrors.h"
#include "scan/MacroText.h"
#include "scan/Reporter.h"

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class Sema;
}

namespace graphgen::scan {

/// Complains of each of `Loose`, which are among `Texts`.
void tellLoose(const clang::Sema& Sema, llvm::ArrayRef<const MacroText*> Loose, const MacroTexts& Texts, CompilerErrors& Compiler,
               Reporter& Report);

}  // namespace graphgen::scan
