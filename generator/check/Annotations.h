// SPDX-License-Identifier: Apache-2.0
//
// Which annotations a function has, and what one says of its parameter.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

namespace graphgen::check {

/// Those of one callable.
using AnnotationsOfOne = llvm::ArrayRef<const scan::ScannedCallable*>;

/// In the order of the text.
using AnnotationsByFunction = llvm::MapVector<const clang::FunctionDecl*, std::vector<const scan::ScannedCallable*>>;
AnnotationsByFunction byFunction(llvm::ArrayRef<scan::ScannedCallable> Callables);

/// Whether one says `step`, which holds for the callable.
bool areOfStep(AnnotationsOfOne Annotations);

/// The argument that an annotation says of the annotated function's own parameter, by whatever name the body knows it; null for others.
const annotation::Bound* argumentOf(const scan::ScannedCallable& Annotated, const clang::ValueDecl& Parameter);

}  // namespace graphgen::check
