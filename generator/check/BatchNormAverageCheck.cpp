// SPDX-License-Identifier: Apache-2.0
//
// From a module that is called to what it was made of.
#include "check/BatchNormAverageCheck.h"

#include "check/Callee.h"
#include "check/Library.h"
#include "check/Paths.h"
#include "check/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

/// The module or its holder that S runs.
const clang::Expr* moduleRun(const clang::Stmt& S) {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S)) {
    const clang::FunctionDecl* Function = Operator->getDirectCallee();
    return Operator->getOperator() == clang::OO_Call && Function && isOfLibrary(*Function) ? Operator->getArg(0) : nullptr;
  }
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  const bool IsForward = Method && Method->getIdentifier() && Method->getName() == "forward" && isOfLibrary(*Method);
  return IsForward ? Call->getImplicitObjectArgument() : nullptr;
}

/// bn-> and *bn are bn.
const clang::Expr& holderOf(const clang::Expr& Given) {
  const clang::Expr& E = *Given.IgnoreParenImpCasts();
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E);
  const bool Shows = Operator && (Operator->getOperator() == clang::OO_Arrow || Operator->getOperator() == clang::OO_Star);
  const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E);
  return Shows ? holderOf(*Operator->getArg(0)) : Unary && Unary->getOpcode() == clang::UO_Deref ? holderOf(*Unary->getSubExpr()) : E;
}

bool isNullopt(const clang::Expr& E) {
  return libraryClass(E.getType()) == "nullopt_t" || llvm::any_of(E.children(), [](const clang::Stmt* Each) {
           const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
           return Part && isNullopt(*Part);
         });
}

/// The call BatchNormOptions::momentum(nullopt) in S; null where there is none.
const clang::CXXMemberCallExpr* averageIn(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  const bool IsMomentum = Method && Method->getIdentifier() && Method->getName() == "momentum" && Call->getNumArgs() == 1 &&
                          libraryClass(Call->getObjectType()).starts_with("BatchNorm");
  if (IsMomentum && isNullopt(*Call->getArg(0))) {
    return Call;
  }
  for (const clang::Stmt* Each : S.children()) {
    if (const auto* Found = Each ? averageIn(*Each) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

std::vector<const clang::Expr*> valuesOf(const clang::Expr& Module, const UnitIndex& Index) {
  if (const clang::ValueDecl* Named = pathOf(Module).Named) {
    return Index.valuesOf(*Named);
  }
  return {&originOf(Module)};
}

}  // namespace

void BatchNormAverageCheck::check(const clang::Stmt& S, const Place& At) const {
  const clang::Expr* Module = moduleRun(S);
  if (!Module) {
    return;
  }
  for (const clang::Expr* Each : valuesOf(holderOf(*Module), At.Index)) {
    if (const clang::CXXMemberCallExpr* Average = averageIn(*Each)) {
      return suspect(At, llvm::isa<clang::CXXMemberCallExpr>(S) ? nameOf(llvm::cast<clang::CallExpr>(S)) : S.getBeginLoc(),
                     S.getSourceRange(),
                     "batch normalisation with a cumulative average reads its count on the host while it trains, which a graph cannot do",
                     {{Average->getExprLoc(), "the average is chosen here"}});
    }
  }
}

}  // namespace graphgen::check
