// SPDX-License-Identifier: Apache-2.0
//
// What a function returns as a call gave it.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include "llvm/ADT/SmallVector.h"

namespace graphgen::check {

/// A constructor, or a function that puts what it is given into an object as it is.
bool keepsArguments(const clang::FunctionDecl& F);
/// `toDouble()` of what `item()` gives, and its like.
bool isConversion(const clang::FunctionDecl& F);

/// Calls whose value the function returns, converted or as a part of its result, and does nothing else with.
llvm::SmallVector<const clang::CallExpr*> returnedCalls(const clang::FunctionDecl& Definition);

}  // namespace graphgen::check
