// SPDX-License-Identifier: Apache-2.0
//
// A virtual call's function is certain where Clang knows the object's class.
#include "check/Callee.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

Callee calleeOfMethod(const clang::CXXMemberCallExpr& Call) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  const auto* Member = llvm::dyn_cast<clang::MemberExpr>(Call.getCallee()->IgnoreParens());
  if (!Method || !Member || !Method->isVirtual() || Member->hasQualifier()) {
    return {Method, Call.getExprLoc(), true};
  }
  const clang::CXXMethodDecl* Known = Method->getDevirtualizedMethod(Member->getBase(), /*IsAppleKext=*/false);
  return {Known ? Known : Method, Call.getExprLoc(), Known != nullptr};
}

}  // namespace

Callee calleeOf(const clang::Stmt& S) {
  if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
    return calleeOfMethod(*Call);
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
