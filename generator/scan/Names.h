// SPDX-License-Identifier: Apache-2.0
//
// The constants that an annotation names, as the language would find them where the annotation stands.
#pragma once

#include "scan/Finder.h"
#include "scan/Reporter.h"

#include "annotation/Evaluate.h"

namespace clang {
class Sema;
}

namespace graphgen::scan {

/// The values of the names in dims, counts and options; one that names no integer constant is complained of. The translation unit must have
/// been read to its end.
annotation::Constants findConstants(clang::Sema& Sema, const AnnotatedDecl& Annotated, const annotation::Annotation& Spec,
                                    Reporter& Report);

}  // namespace graphgen::scan
