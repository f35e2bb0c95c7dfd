// SPDX-License-Identifier: Apache-2.0
//
// A module is held by a ModuleHolder or a pointer.
#include "check/calls/ModuleRuns.h"

#include "check/code/Callee.h"
#include "check/code/Library.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

/// net.operator->(), *net: net.
const clang::Expr& moduleHolderOf(const clang::Expr& Given) {
  const clang::Expr& E = *Given.IgnoreParenImpCasts();
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E);
  const bool Shows = Operator && (Operator->getOperator() == clang::OO_Arrow || Operator->getOperator() == clang::OO_Star);
  const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E);
  return Shows                                            ? moduleHolderOf(*Operator->getArg(0))
         : Unary && Unary->getOpcode() == clang::UO_Deref ? moduleHolderOf(*Unary->getSubExpr())
                                                          : E;
}

llvm::StringRef withoutImpl(llvm::StringRef Class) {
  Class.consume_back("Impl");
  return Class;
}

llvm::StringRef classNameOf(clang::QualType Holder) {
  return withoutImpl(libraryClass(Holder->isPointerType() ? Holder->getPointeeType() : Holder));
}

}  // namespace

ModuleRun moduleRun(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !isOfLibrary(*Function)) {
    return {};
  }
  const llvm::ArrayRef<const clang::Expr*> Arguments(Call->getArgs(), Call->getNumArgs());
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(Call)) {
    if (Operator->getOperator() != clang::OO_Call) {
      return {};
    }
    const clang::Expr& Holder = moduleHolderOf(*Arguments[0]);
    return {&Holder, Arguments.drop_front(), S.getBeginLoc(), classNameOf(Holder.getType())};
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call);
  const bool IsForward = Method && Function->getIdentifier() && Function->getName() == "forward";
  return IsForward ? ModuleRun{&moduleHolderOf(*Method->getImplicitObjectArgument()), Arguments, nameOf(*Call),
                               withoutImpl(Method->getRecordDecl()->getName())}
                   : ModuleRun();
}

std::vector<const clang::Expr*> valuesOf(const ModuleRun& Run, const UnitIndex& Index) {
  if (const clang::ValueDecl* Named = pathOf(*Run.Module).Named) {
    return Index.valuesOf(*Named);
  }
  return {&originOf(*Run.Module)};
}

}  // namespace graphgen::check
