// SPDX-License-Identifier: Apache-2.0
//
// What the unit puts into members and variables that outlive their function, by bodies that no call of the callable comes to.
#pragma once

#include "check/flow/Value.h"
#include "check/state/UnitIndex.h"

namespace graphgen::check::flow {

struct Stored {
  llvm::SmallVector<Callable, 1> Callables;
  llvm::SmallVector<const clang::CXXRecordDecl*, 1> Classes;  // of what pointers lead to; none where nobody knows
  bool AreAll = true;                                         // those: no other file may make another one
  llvm::SmallVector<const clang::CXXRecordDecl*, 1> Modules;  // of the program's, in a container of LibTorch's
  const clang::Expr* Made = nullptr;                          // what a function of a library gave, the first one
};

/// The variable or member that a place is part of: not the `second` of a map's element. Null of what has no name.
const clang::ValueDecl* storeOfPath(Path Of);

Stored storedIn(const clang::ValueDecl& Store, const UnitIndex& Unit);

}  // namespace graphgen::check::flow
