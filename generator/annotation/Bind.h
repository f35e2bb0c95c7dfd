// SPDX-License-Identifier: Apache-2.0
//
// Joins a declaration with an annotation: the one place that follows types and annotations downwards together.
#pragma once

#include "annotation/Callable.h"
#include "annotation/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::annotation {

/// `Known` has the values of the names in `Said`. Nothing after adding to `Errors` what has no possible value. The tree also has what does
/// not match the declaration. That is a node whose type and annotation differ in kind, one of which nothing is said, or a field that no
/// part has.
std::optional<Callable> bindAnnotation(Declaration Declared, const Annotation& Said, const Constants& Known,
                                       std::vector<Diagnostic>& Errors);

/// What is said of the argument or member of this name; null where nothing is.
const Spec* specOf(llvm::StringRef Name, llvm::ArrayRef<Field> Said);

}  // namespace graphgen::annotation
