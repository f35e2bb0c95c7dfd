// SPDX-License-Identifier: Apache-2.0
//
// What the object of an annotated method holds, an object among the arguments, and variables, that each call looks at.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// What calls of one callable look at, in its object, its arguments and variables. Each is in its canonical declaration.
struct WatchedPlaces {
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> Members;
  llvm::SmallPtrSet<const clang::ValueDecl*, 8> Variables;  // of which something is looked at

  bool has(const clang::FieldDecl& Field) const;
  /// The member `Part` of what `Variable` holds, or the variable itself.
  bool has(const clang::VarDecl& Variable, const clang::ValueDecl& Part) const;
};

/// Fills in `Watched` of each.
void addWatchedPlaces(llvm::MutableArrayRef<ScannedCallable> Callables, const Bodies& Bodies);

/// Whether `Field` is of a class that derives from one to which the object or the arguments of `Callable` lead, and that they do not name.
bool isOfDerived(const ScannedCallable& Callable, const clang::FieldDecl& Field);

}  // namespace graphgen::scan
