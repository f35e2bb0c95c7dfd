// SPDX-License-Identifier: Apache-2.0
//
// What the object of an annotated method holds, and an object among the arguments, that each call looks at.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class FieldDecl;
}  // namespace clang

namespace graphgen::scan {

/// Fills in `Callables`, one for each of `Scanned`. Warns of members that are named by a body, or may be, and that generated code cannot
/// reach.
void addWatchedMembers(llvm::MutableArrayRef<annotation::Callable> Callables, llvm::ArrayRef<ScannedCallable> Scanned, const Bodies& Bodies,
                       Reporter& Report);

/// Whether calls of `Callable` look at `Field` in its object or in one of its arguments. `IsNamed` if a body names it: lists are looked at
/// then.
bool isWatchedMember(const ScannedCallable& Callable, const clang::FieldDecl& Field, bool IsNamed = false);

}  // namespace graphgen::scan
