// SPDX-License-Identifier: Apache-2.0
//
// What a call gives a library's function for a parameter, by the parameter's name.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

/// Null where there is no such parameter, or its default is taken.
const clang::Expr* argumentGiven(const clang::FunctionDecl& Function, llvm::ArrayRef<const clang::Expr*> Arguments, llvm::StringRef Name);

/// Likewise; null also where what is called is not known.
const clang::Expr* argumentGiven(const clang::CallExpr& Call, llvm::StringRef Name);

/// What a call or construction gives the parameters of what it calls, in their order.
llvm::ArrayRef<const clang::Expr*> argumentsOf(const clang::Stmt& Call, const clang::FunctionDecl& Called);

/// Whether the argument is `true`, or a constant of that value.
bool isTrue(const clang::Expr* Argument);

/// Whether it is a constant that is not.
bool isFalse(const clang::Expr* Argument, const clang::ASTContext& Context);

}  // namespace graphgen::check
