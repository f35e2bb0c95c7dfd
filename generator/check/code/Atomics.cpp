// SPDX-License-Identifier: Apache-2.0
//
// By the object's class: the methods are those of its bases.
#include "check/code/Atomics.h"

#include "check/code/Classes.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

const clang::Expr* atomicOf(const clang::Expr& Given) {
  const clang::Expr* E = Given.IgnoreParenImpCasts();
  return libraryClass(E->getType()) == "atomic" ? E : nullptr;
}

bool changesOldValue(clang::OverloadedOperatorKind Operator) {
  switch (Operator) {
    case clang::OO_PlusPlus:
    case clang::OO_MinusMinus:
    case clang::OO_PlusEqual:
    case clang::OO_MinusEqual:
    case clang::OO_AmpEqual:
    case clang::OO_PipeEqual:
    case clang::OO_CaretEqual:
      return true;
    default:
      return false;
  }
}

}  // namespace

clang::QualType withoutAtomic(clang::QualType Type) {
  const auto* Class = llvm::dyn_cast_if_present<clang::ClassTemplateSpecializationDecl>(Type.getNonReferenceType()->getAsCXXRecordDecl());
  return Class && libraryClass(Type) == "atomic" ? Class->getTemplateArgs()[0].getAsType() : Type;
}

AtomicWrite atomicWrite(const clang::CallExpr& Call) {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    return changesOldValue(Operator->getOperator()) ? AtomicWrite{atomicOf(*Operator->getArg(0)), Operator->getOperatorLoc()}
                                                    : AtomicWrite();
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call);
  const clang::FunctionDecl* Function = Method ? Method->getMethodDecl() : nullptr;
  if (!Function || !Function->getIdentifier()) {
    return {};
  }
  const llvm::StringRef Name = Function->getName();
  const clang::Expr* Target = atomicOf(*Method->getImplicitObjectArgument());
  if (Name == "store" || Name == "exchange") {
    return {Target, Call.getExprLoc(), Call.getArg(0)};
  }
  if (Name.starts_with("compare_exchange_")) {
    return {Target, Call.getExprLoc(), Call.getArg(1)};
  }
  return Name.starts_with("fetch_") ? AtomicWrite{Target, Call.getExprLoc()} : AtomicWrite();
}

}  // namespace graphgen::check
