// SPDX-License-Identifier: Apache-2.0
//
// Calls are known by their names and namespaces.
#include "check/code/TensorCalls.h"

#include "check/code/Callee.h"
#include "check/code/Library.h"
#include "check/code/Spelled.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isIn(const clang::Decl& D, llvm::ArrayRef<llvm::StringLiteral> Namespaces) {
  const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(D.getDeclContext()->getRedeclContext()->getEnclosingNamespaceContext());
  return Namespace && Namespace->getParent()->getRedeclContext()->isTranslationUnit() &&
         llvm::is_contained(Namespaces, Namespace->getName());
}

bool isTensorClass(const clang::RecordDecl& Class) {
  return (Class.getName() == "Tensor" || Class.getName() == "TensorBase") && isIn(Class, {"at"});
}

/// One step of originOf; null where it ends.
const clang::Expr* cause(const clang::Expr& E) {
  if (const auto* Cast = llvm::dyn_cast<clang::CastExpr>(&E)) {
    return Cast->getSubExpr();
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  const bool IsLocal = Variable && Variable->isLocalVarDecl() && !Variable->isStaticLocal();
  if (IsLocal && Variable->getInit()) {
    return Variable->getInit();
  }
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  const bool IsCopy = Construction && Construction->getNumArgs() == 1 && Construction->getConstructor()->isCopyOrMoveConstructor();
  const clang::Expr* Inner = IsCopy ? Construction->getArg(0) : &spelled(E);
  return Inner == &E ? nullptr : Inner;
}

}  // namespace

bool isTensor(clang::QualType Type) {
  if (Type.isNull()) {
    return false;
  }
  const clang::RecordDecl* Class = Type.getNonReferenceType()->getAsRecordDecl();
  return Class && isTensorClass(*Class);
}

bool takesTensor(clang::QualType Type) {
  if (libraryClass(Type) != "optional") {
    return isTensor(Type);
  }
  const auto* Optional = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Type.getNonReferenceType()->getAsRecordDecl());
  return Optional && isTensor(Optional->getTemplateArgs()[0].getAsType());
}

llvm::StringRef libraryClass(clang::QualType Type) {
  if (Type.isNull()) {
    return {};
  }
  const clang::TagDecl* Class = Type.getNonReferenceType()->getAsTagDecl();
  return Class && Class->getIdentifier() && isOfLibrary(*Class) ? Class->getName() : llvm::StringRef();
}

bool isErrorStream(const clang::Expr& Given) {
  const clang::Expr& E = *Given.IgnoreParenImpCasts();
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&E)) {
    return Operator->getOperator() == clang::OO_LessLess && isErrorStream(*Operator->getArg(0));
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const clang::ValueDecl* Named = Name ? Name->getDecl() : nullptr;
  return Named && Named->isInStdNamespace() && Named->getIdentifier() && (Named->getName() == "cerr" || Named->getName() == "clog");
}

TensorCall tensorCall(const clang::Stmt& S, llvm::ArrayRef<llvm::StringLiteral> Names) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function || !Function->getIdentifier() || !llvm::is_contained(Names, Function->getName())) {
    return {};
  }
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
  if (Method ? !isTensorClass(*Method->getParent()) : !isIn(*Function, {"at", "torch"})) {
    return {};
  }
  return {Call, Function, Function->getName(), nameOf(*Call), Method != nullptr};
}

const clang::Expr* tensorOf(const clang::CallExpr& Call) {
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call)) {
    return Method->getImplicitObjectArgument();
  }
  return Call.getNumArgs() == 0 ? nullptr : Call.getArg(0);
}

bool isInPlace(const clang::CallExpr& Call) {
  const clang::Expr* Tensor = tensorOf(Call);
  return Call.isGLValue() && isTensor(Call.getType()) && Tensor && isTensor(Tensor->getType());
}

TensorCall hostRead(const clang::Stmt& S) { return tensorCall(S, {"item", "is_nonzero", "_local_scalar_dense", "equal", "allclose"}); }

const clang::Expr& originOf(const clang::Expr& E) {
  constexpr unsigned MostSteps = 64;  // a variable may name itself
  const clang::Expr* Origin = &E;
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    const clang::Expr* Next = cause(*Origin);
    if (!Next) {
      break;
    }
    Origin = Next;
  }
  return *Origin;
}

}  // namespace graphgen::check
