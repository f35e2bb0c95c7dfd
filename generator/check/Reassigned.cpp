// SPDX-License-Identifier: Apache-2.0
//
// Looks at every use of the variable, lambdas included.
#include "check/Reassigned.h"

#include "check/Library.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtVisitor.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool names(const clang::Expr& E, const clang::VarDecl& Variable) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E.IgnoreParenImpCasts());
  return Name && Name->getDecl() == &Variable;
}

bool mentions(const clang::Expr& Given, const clang::VarDecl& Variable) {
  const clang::Expr& E = *Given.IgnoreParenImpCasts();
  const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E);
  return names(Unary && Unary->getOpcode() == clang::UO_AddrOf ? *Unary->getSubExpr() : E, Variable);
}

bool mayChange(clang::QualType Parameter) {
  return (Parameter->isLValueReferenceType() || Parameter->isPointerType()) && !Parameter->getPointeeType().isConstQualified();
}

bool isHandedOn(const clang::CallExpr& Call, const clang::VarDecl& Variable) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || isOfLibrary(*Function)) {
    const bool IsTied = Function && Function->getIdentifier() && llvm::is_contained({"tie", "swap", "exchange"}, Function->getName());
    return IsTied && llvm::any_of(Call.arguments(), [&](const clang::Expr* Each) { return mentions(*Each, Variable); });
  }
  const unsigned First = llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa<clang::CXXMethodDecl>(Function) ? 1 : 0;
  for (unsigned Index = First; Index < Call.getNumArgs() && Index - First < Function->getNumParams(); ++Index) {
    if (mentions(*Call.getArg(Index), Variable) && mayChange(Function->getParamDecl(Index - First)->getType())) {
      return true;
    }
  }
  return false;
}

bool changes(const clang::Stmt& S, const clang::VarDecl& Variable) {
  if (const auto* Assignment = llvm::dyn_cast<clang::BinaryOperator>(&S)) {
    return Assignment->isAssignmentOp() && names(*Assignment->getLHS(), Variable);
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S); Operator && Operator->getOperator() == clang::OO_Equal) {
    return names(*Operator->getArg(0), Variable);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  return Call && isHandedOn(*Call, Variable);
}

bool anyChanges(const clang::Stmt* S, const clang::VarDecl& Variable) {
  return S && (changes(*S, Variable) || llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return anyChanges(Each, Variable); }));
}

}  // namespace

bool isReassigned(const clang::VarDecl& Variable) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  return !Function || !Function->getBody() || anyChanges(Function->getBody(), Variable);
}

}  // namespace graphgen::check
