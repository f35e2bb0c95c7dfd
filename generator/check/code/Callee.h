// SPDX-License-Identifier: Apache-2.0
//
// Which function a statement names in its call.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace graphgen::check {

struct Callee {
  const clang::FunctionDecl* Function = nullptr;  // null: none, or nobody knows
  clang::SourceLocation Call;
  bool IsCertain = false;  // this very function when the statement is executed, or one that overrides it
};

/// Of a call, a construction, or an expression that only names a function, which whoever gets it may call.
Callee calleeOf(const clang::Stmt& S);

/// Where the call names its function: behind the dot of a method's.
clang::SourceLocation nameOf(const clang::CallExpr& Call);

}  // namespace graphgen::check
