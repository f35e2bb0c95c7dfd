// SPDX-License-Identifier: Apache-2.0
//
// By the kind of the expression.
#include "check/code/Callee.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

clang::SourceLocation nameOf(const clang::CallExpr& Call) {
  const clang::Expr* Callee = Call.getCallee()->IgnoreParenImpCasts();
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Callee);
  return Name ? Name->getLocation() : Callee->getExprLoc();
}

}  // namespace graphgen::check
