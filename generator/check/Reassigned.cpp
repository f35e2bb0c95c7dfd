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

/// What S assigns to the variable, as a whole or to what it was; null where it does not.
const clang::Expr* assignedBy(const clang::Stmt& S, const clang::VarDecl& Variable) {
  if (const auto* Assignment = llvm::dyn_cast<clang::BinaryOperator>(&S)) {
    return Assignment->isAssignmentOp() && names(*Assignment->getLHS(), Variable) ? Assignment->getRHS() : nullptr;
  }
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  const bool IsAssignment = Operator && Operator->getOperator() == clang::OO_Equal && names(*Operator->getArg(0), Variable);
  return IsAssignment ? Operator->getArg(1) : nullptr;
}

bool isHandedOnBy(const clang::Stmt& S, const clang::VarDecl& Variable) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  return Call && !(Operator && Operator->getOperator() == clang::OO_Equal) && isHandedOn(*Call, Variable);
}

bool changes(const clang::Stmt& S, const clang::VarDecl& Variable) { return assignedBy(S, Variable) || isHandedOnBy(S, Variable); }

bool anyChanges(const clang::Stmt* S, const clang::VarDecl& Variable) {
  return S && (changes(*S, Variable) || llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return anyChanges(Each, Variable); }));
}

/// `auto& other = variable`, `&variable`.
bool givesOtherName(const clang::Stmt& S, const clang::VarDecl& Variable) {
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&S)) {
    return Unary->getOpcode() == clang::UO_AddrOf && names(*Unary->getSubExpr(), Variable);
  }
  const auto* Declarations = llvm::dyn_cast<clang::DeclStmt>(&S);
  return Declarations && llvm::any_of(Declarations->decls(), [&](const clang::Decl* Each) {
           const auto* Other = llvm::dyn_cast<clang::VarDecl>(Each);
           return Other && Other->getInit() && names(*Other->getInit(), Variable) && Other->getType()->isLValueReferenceType() &&
                  mayChange(Other->getType());
         });
}

/// False where the variable is handed on, or has another name.
bool collectAssigned(const clang::Stmt& S, const clang::VarDecl& Variable, std::vector<const clang::Expr*>& Values) {
  if (isHandedOnBy(S, Variable) || givesOtherName(S, Variable)) {
    return false;
  }
  if (const clang::Expr* Value = assignedBy(S, Variable)) {
    Values.push_back(Value);
  }
  return llvm::all_of(S.children(), [&](const clang::Stmt* Each) { return !Each || collectAssigned(*Each, Variable, Values); });
}

}  // namespace

bool isReassigned(const clang::VarDecl& Variable) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  return !Function || !Function->getBody() || anyChanges(Function->getBody(), Variable);
}

std::optional<std::vector<const clang::Expr*>> valuesAssigned(const clang::VarDecl& Variable) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  std::vector<const clang::Expr*> Values;
  const bool AreAll = Function && Function->getBody() && collectAssigned(*Function->getBody(), Variable, Values);
  return AreAll ? std::optional(std::move(Values)) : std::nullopt;
}

}  // namespace graphgen::check
