// SPDX-License-Identifier: Apache-2.0
//
// What several checks ask about a callable's parameters and the annotation's arguments.
#pragma once

#include "scan/Scan.h"

namespace graphgen::check {

/// Whether graphed::Scalar can stand in its place.
bool isNumber(annotation::TypeKind Kind);

/// Null where the annotation does not name `Parameter`.
const annotation::Field* argumentOf(const annotation::Callable& Callable, const annotation::Parameter& Parameter);

/// Null where the aggregate has no such member.
const annotation::Field* findField(const annotation::Spec& Aggregate, llvm::StringRef Name);

/// The candidate that is spelled most like `Name`; empty where none is near.
llvm::StringRef nearestName(llvm::StringRef Name, llvm::ArrayRef<llvm::StringRef> Candidates);

/// What an annotation could say of the type: "f32[64, 128]", "{obs: f32[64, 128], causal: key}", "key * 3".
std::string exampleOf(const annotation::Type& T);

/// The empty range after the last argument, and what goes there to add `Argument`.
annotation::FixIt additionOf(const annotation::Callable& Callable, llvm::StringRef Argument);

}  // namespace graphgen::check
