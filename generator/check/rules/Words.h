// SPDX-License-Identifier: Apache-2.0
//
// What several rules say.
#pragma once

#include "check/Annotations.h"
#include "check/flow/Facts.h"
#include "check/torch/Overlay.h"

namespace graphgen::check {

/// "the argument 'x'", "the member 'state'", "'count'".
std::string wordsOf(const flow::PathNode& Of);

/// Whether a row of the overlay says it of the function.
bool isOf(const flow::Fact& Call, Trait What);

/// The tensors that a call gives another shape or other memory; null where it is no such call.
flow::ValueRef madeAnotherBy(const flow::Fact& Call);

/// Of `forward` of a module of LibTorch's the module's name, else that of the function.
std::string nameOfModuleOr(const clang::NamedDecl& Function);

/// The name of the function, or "=".
std::string operationOf(const flow::Fact& Its);

/// Whether an annotation says `Flag` of the argument, or of its part; true as well where that cannot be known.
bool isFlagged(const flow::PathNode& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations);

/// What an annotation says instead of looking at an argument, or at a part of one; null where none does.
const annotation::Bound* unseenAt(const flow::PathNode& Of, AnnotationsOfOne Annotations);

/// Of an argument, or of what is in one: it is a tensor or an aggregate by reference to non-const, and each call returns what the callable
/// assigns.
bool isGivenBack(const flow::PathNode& Argument, AnnotationsOfOne Annotations);

/// What adds the flag to each annotation; nothing where one does not say it of that tensor alone, or is in a macro's body.
std::vector<clang::FixItHint> fixesThatMark(const flow::PathNode& Argument, annotation::Flag Flag, AnnotationsOfOne Annotations);

}  // namespace graphgen::check
