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
    return {Method, Call.getExprLoc(), true, Call.getImplicitObjectArgument()};
  }
  const clang::CXXMethodDecl* Known = Method->getDevirtualizedMethod(Member->getBase(), /*IsAppleKext=*/false);
  return {Known ? Known : Method, Call.getExprLoc(), Known != nullptr, Call.getImplicitObjectArgument()};
}

}  // namespace

Callee calleeOf(const clang::Stmt& S) {
  if (const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S)) {
    return calleeOfMethod(*Call);
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S)) {
    const bool HasObject =
        llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa_and_nonnull<clang::CXXMethodDecl>(Call->getDirectCallee());
    return {Call->getDirectCallee(), S.getBeginLoc(), true, HasObject ? Call->getArg(0) : nullptr};
  }
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&S)) {
    return {Construction->getConstructor(), Construction->getExprLoc(), true};
  }
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S)) {
    return {llvm::dyn_cast<clang::FunctionDecl>(Name->getDecl()), Name->getLocation(), false};
  }
  return {};
}

}  // namespace graphgen::check
