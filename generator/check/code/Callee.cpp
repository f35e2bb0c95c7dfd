// SPDX-License-Identifier: Apache-2.0
//
// By the kind of the expression.
#include "check/code/Callee.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

Callee calleeOf(const clang::Stmt& S) {
  if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
    return {Call->getMethodDecl(), Call->getExprLoc(), true};
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S)) {
    return {Call->getDirectCallee(), S.getBeginLoc(), true};
  }
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S)) {
    return {Construction->getConstructor(), Construction->getExprLoc(), true};
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S)) {
    return {llvm::dyn_cast<clang::FunctionDecl>(Name->getDecl()), Name->getLocation(), false};
  }
  return {};
}

clang::SourceLocation nameOf(const clang::CallExpr& Call) {
  const clang::Expr* Callee = Call.getCallee()->IgnoreParenImpCasts();
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Callee);
  return Name ? Name->getLocation() : Callee->getExprLoc();
}

}  // namespace graphgen::check
