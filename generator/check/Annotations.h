// SPDX-License-Identifier: Apache-2.0
//
// A callable's annotations, and what they say of an argument that a body works on.
#pragma once

#include "check/code/Owners.h"
#include "scan/Scan.h"

#include "clang/Basic/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace graphgen::check {

/// Those of one callable.
using AnnotationsOfOne = llvm::ArrayRef<const scan::ScannedCallable*>;

/// In the order of the text.
using AnnotationsByFunction = llvm::MapVector<const clang::FunctionDecl*, std::vector<const scan::ScannedCallable*>>;
AnnotationsByFunction byFunction(llvm::ArrayRef<scan::ScannedCallable> Callables);

/// The argument that an annotation says of the annotated function's own parameter, by whatever name the body knows it; null for others.
const annotation::Bound* argumentOf(const scan::ScannedCallable& Annotated, const clang::ValueDecl& Parameter);

/// Whether an annotation says `flag` of the argument, or of its part; true as well where that cannot be told.
bool isFlagged(const Owner& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations);

/// Whether the values of the argument that a write in `In` comes to are a copy for sure, of another dtype.
bool isConverted(const Owner& Argument, AnnotationsOfOne Annotations, const Frame& In);

/// The dtype that all annotations say of an argument; nothing where `Tensor` is none as a whole.
std::optional<annotation::DType> typeOf(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In);

using Sizes = std::vector<int64_t>;

/// Of an argument, at each annotation and all values of its dimensions, for every argument in one order; empty where `Tensor` is none as a
/// whole, or one of them does not say its sizes.
std::vector<Sizes> sizesOf(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In);

/// How many elements a tensor has, at all annotations and all values of their dimensions.
struct Elements {
  int64_t Least, Most;
};

/// Of an argument; nothing where `Tensor` is none as a whole.
std::optional<Elements> elementsOf(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In);

/// Whether a tensor's sizes are the same at all annotations and all values of their dimensions: an argument's own, of another tensor those
/// of all arguments.
bool hasOneShape(const clang::Expr& Tensor, AnnotationsOfOne Annotations, const Frame& In);

/// Whether a number that the annotated callable is given is the same in all calls: `const`.
bool isConstant(const clang::ParmVarDecl& Parameter, AnnotationsOfOne Annotations);

/// What adds the flag to each annotation; nothing where one does not say it of that tensor alone, or stands in a macro's body.
std::vector<clang::FixItHint> fixesThatMark(const Owner& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations);

}  // namespace graphgen::check
