// SPDX-License-Identifier: Apache-2.0
//
// What a branch, and the functions that it calls, set of what outlives the call.
#pragma once

#include "check/code/Paths.h"

#include "clang/AST/Stmt.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <vector>

namespace graphgen::check {

struct BranchEffects {
  struct Set {
    Path To;  // empty of elements, and of what a local reference shows
    const clang::Expr* Target;
    const clang::Expr* Value;
    clang::SourceLocation Where;
  };
  std::vector<Set> Sets;  // `=`, emplace and reset with a value
  std::vector<Path> Fills;
  llvm::SmallPtrSet<const clang::FunctionDecl*, 8> Called;  // functions, and methods of `this`

  /// Bodies of called functions are those that the unit has.
  static BranchEffects of(llvm::ArrayRef<const clang::Stmt*> Parts);
};

}  // namespace graphgen::check
