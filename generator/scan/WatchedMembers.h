// SPDX-License-Identifier: Apache-2.0
//
// What the object of an annotated method holds, an object among the arguments, and variables, that each call looks at.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/ArrayRef.h"

namespace clang {
class FieldDecl;
class FunctionDecl;
class ValueDecl;
class VarDecl;
}  // namespace clang

namespace graphgen::scan {

/// Fills in `Callables`, one for each of `Scanned`. Warns of members that are named by a body, or may be, and that generated code cannot
/// reach or compare.
void addWatchedMembers(llvm::MutableArrayRef<annotation::Callable> Callables, llvm::ArrayRef<ScannedCallable> Scanned, const Bodies& Bodies,
                       Reporter& Report);

/// Whether calls of `Callable` look at `Field` in its object or in one of its arguments. `IsNamed` if a body names it that is in the
/// annotated file: lists are looked at then.
bool isWatchedMember(const ScannedCallable& Callable, const clang::FieldDecl& Field, bool IsNamed = false);

/// Whether `Field` is of a class that derives from one to which the object or the arguments of `Callable` lead, and that they do not name.
bool isOfDerived(const ScannedCallable& Callable, const clang::FieldDecl& Field);

/// Whether calls of `Callable` look at `Variable`, or at the member `Part` of what it holds, where a body names it that is in the annotated
/// file.
bool isWatchedVariable(const ScannedCallable& Callable, const clang::VarDecl& Variable, const clang::ValueDecl& Part);

/// Whether the body is in the annotated file, or in a header that it includes: who reads the annotations sees what it names.
bool isSeenWithAnnotation(const ScannedCallable& Callable, const clang::FunctionDecl& Body);

}  // namespace graphgen::scan
