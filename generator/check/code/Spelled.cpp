// SPDX-License-Identifier: Apache-2.0
//
// Goes on for as long as something falls away: parentheses may stand under a temporary, and temporaries in parentheses.
#include "check/code/Spelled.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

/// Of a template's pattern, `member(value)` in a constructor holds a list in parentheses, which has no type.
static const clang::Expr& within(const clang::Expr& E) {
  const auto* List = llvm::dyn_cast<clang::ParenListExpr>(&E);
  return List && List->getNumExprs() == 1 ? *List->getExpr(0) : *E.IgnoreParens()->IgnoreImplicit();
}

const clang::Expr& spelled(const clang::Expr& Given) {
  const clang::Expr* E = &Given;
  while (&within(*E) != E) {
    E = &within(*E);
  }
  return *E;
}

clang::SourceLocation nameOf(const clang::CallExpr& Call) {
  const clang::Expr* Callee = Call.getCallee()->IgnoreParenImpCasts();
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Callee);
  return Name ? Name->getLocation() : Callee->getExprLoc();
}

}  // namespace graphgen::check
