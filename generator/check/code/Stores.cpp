// SPDX-License-Identifier: Apache-2.0
//
// From an element outwards, through the local variables that stand for it.
#include "check/code/Stores.h"

#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/Spelled.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostStoreSteps = 64;  // a variable may name itself

const clang::Expr* causeOf(const clang::ValueDecl& Named) {
  if (const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(&Named)) {
    return Binding->getHoldingVar() ? Binding->getHoldingVar()->getInit() : Binding->getBinding();
  }
  const auto* Variable = llvm::dyn_cast<clang::VarDecl>(&Named);
  return Variable && Variable->isLocalVarDecl() ? Variable->getInit() : nullptr;
}

const clang::Expr* causeOf(const clang::CallExpr& Call) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    const bool Shows = llvm::is_contained({clang::OO_Subscript, clang::OO_Star, clang::OO_Arrow}, Operator->getOperator());
    return Shows ? Operator->getArg(0) : nullptr;
  }
  if (!Function || !isOfLibrary(*Function)) {
    return nullptr;
  }
  if (const auto* OnObject = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
    return OnObject->getImplicitObjectArgument();
  }
  const bool Shows =
      Function->getIdentifier() && llvm::is_contained({"move", "forward", "as_const", "get", "begin", "cbegin"}, Function->getName());
  return Shows && Call.getNumArgs() != 0 ? Call.getArg(0) : nullptr;
}

}  // namespace

const clang::Expr* causeOf(const clang::Expr& E) {
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    return causeOf(*Name->getDecl());
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    return Member->getBase();
  }
  if (const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E)) {
    return causeOf(*Call);
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E)) {
    return Unary->getOpcode() == clang::UO_Deref || Unary->getOpcode() == clang::UO_AddrOf ? Unary->getSubExpr() : nullptr;
  }
  if (const auto* Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&E)) {
    return Element->getBase();
  }
  if (const auto* Cast = llvm::dyn_cast<clang::CastExpr>(&E)) {
    return Cast->getSubExpr();
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  const bool IsCopy = Construction && Construction->getNumArgs() == 1 && Construction->getConstructor()->isCopyOrMoveConstructor();
  return IsCopy ? Construction->getArg(0) : nullptr;
}

const clang::ValueDecl* storeOf(const clang::Expr& Given) {
  const clang::Expr* E = &Given;
  for (unsigned Step = 0; E && Step < MostStoreSteps; ++Step) {
    E = &spelled(*E);
    const clang::ValueDecl* Named = pathOf(*E).Named;
    if (Named && !isOfLibrary(*Named)) {  // `second` of an iterator's pair is
      return Named;
    }
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E);
    if (Name && llvm::isa<clang::ParmVarDecl>(Name->getDecl())) {
      return Name->getDecl();
    }
    E = causeOf(*E);
  }
  return nullptr;
}

const clang::Expr* storeGivenTo(const clang::CXXMemberCallExpr& Call) {
  const clang::CXXMethodDecl* Method = Call.getMethodDecl();
  const bool Puts = Method && Method->getIdentifier() && isOfLibrary(*Method) &&
                    llvm::StringSwitch<bool>(Method->getName())
                        .Cases({"push_back", "emplace_back", "push_front", "emplace_front", "push", "emplace", "insert"}, true)
                        .Cases({"insert_or_assign", "try_emplace", "assign", "reset"}, true)
                        .Default(false);
  return Puts ? Call.getImplicitObjectArgument() : nullptr;
}

}  // namespace graphgen::check
