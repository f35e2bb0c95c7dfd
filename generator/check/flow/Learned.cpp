// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Learned.h"

#include "check/code/Library.h"
#include "check/flow/Types.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check::flow {
namespace {

constexpr unsigned MostMakers = 4;  // of functions that make a tensor

/// In functions of the program that are called as well, and that give a tensor.
bool anyIn(const clang::Stmt& S, llvm::function_ref<bool(const clang::Expr&)> Is, unsigned Depth = 0) {
  const auto* E = llvm::dyn_cast<clang::Expr>(&S);
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call && Depth < MostMakers ? Call->getDirectCallee() : nullptr;
  const clang::FunctionDecl* Definition = nullptr;
  const bool IsOwn = Function && !isOfLibrary(*Function) && kindOf(Function->getReturnType()) == TypeKind::Tensor &&
                     Function->isDefined(Definition) && Definition->getBody();
  return (E && Is(*E)) || (IsOwn && anyIn(*Definition->getBody(), Is, Depth + 1)) ||
         llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && anyIn(*Each, Is, Depth); });
}

bool isFalse(const clang::Expr& Given) {
  const auto* Literal = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(Given.IgnoreUnlessSpelledInSource());
  return Literal && !Literal->getValue();
}

}  // namespace

bool turnsGradOn(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const llvm::StringRef Name = Function && Function->getIdentifier() ? Function->getName() : "";
  if (Name == "register_parameter") {
    return Call->getNumArgs() < 3 || !isFalse(*Call->getArg(2));
  }
  return llvm::is_contained({"requires_grad_", "set_requires_grad", "requires_grad"}, Name) && Call->getNumArgs() == 1 &&
         !isFalse(*Call->getArg(0));
}

bool isLearned(const clang::ValueDecl& Store, const UnitIndex& Unit) {
  const auto IsMade = [](const clang::Expr* Each) { return anyIn(*Each, turnsGradOn); };
  if (llvm::any_of(Unit.valuesOf(Store), IsMade)) {
    return true;
  }
  const auto TurnsIt = [&](const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E);
    const clang::Expr* On = Call && turnsGradOn(E) ? Call->getImplicitObjectArgument()->IgnoreParenImpCasts() : nullptr;
    const auto* Member = llvm::dyn_cast_if_present<clang::MemberExpr>(On);
    const auto* Name = llvm::dyn_cast_if_present<clang::DeclRefExpr>(On);
    return (Member && Member->getMemberDecl() == &Store) || (Name && Name->getDecl() == &Store);
  };
  return llvm::any_of(Unit.usesOf(Store), [&](const StateUse& Each) {
    const bool IsTurned =
        Each.Called->getIdentifier() && llvm::is_contained({"requires_grad_", "set_requires_grad"}, Each.Called->getName());
    return IsTurned && Each.User && Each.User->getBody() && anyIn(*Each.User->getBody(), TurnsIt);
  });
}

}  // namespace graphgen::check::flow
