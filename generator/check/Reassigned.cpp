// SPDX-License-Identifier: Apache-2.0
//
// Looks at every use of the variable, lambdas included.
#include "check/Reassigned.h"

#include "check/Library.h"
#include "check/TensorCalls.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtVisitor.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostDepth = 3;  // of functions that hand it on

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

bool isReassigned(const clang::VarDecl& Variable, unsigned Depth);

/// A tensor, or an object of the program's, by reference: a body that is seen assigns none to it.
bool isKeptBy(const clang::FunctionDecl& Function, unsigned Index, unsigned Depth) {
  const clang::QualType Type = Function.getParamDecl(Index)->getType();
  const clang::CXXRecordDecl* Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  const bool IsKind = Type->isLValueReferenceType() && Class && (isTensor(Type) || !isOfLibrary(*Class));
  const clang::FunctionDecl* Written = IsKind && Depth < MostDepth ? writtenBody(Function) : nullptr;
  return Written && !isReassigned(*Written->getParamDecl(Index), Depth + 1);
}

bool isHandedOn(const clang::CallExpr& Call, const clang::VarDecl& Variable, unsigned Depth) {
  const clang::FunctionDecl* Function = Call.getDirectCallee();
  if (!Function || isOfLibrary(*Function)) {
    const bool IsUnknown = !Function && Call.isTypeDependent();
    const bool IsTied = Function && Function->getIdentifier() && llvm::is_contained({"tie", "swap", "exchange"}, Function->getName());
    return (IsTied || IsUnknown) && llvm::any_of(Call.arguments(), [&](const clang::Expr* Each) { return mentions(*Each, Variable); });
  }
  const unsigned First = llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa<clang::CXXMethodDecl>(Function) ? 1 : 0;
  for (unsigned Index = First; Index < Call.getNumArgs() && Index - First < Function->getNumParams(); ++Index) {
    if (mentions(*Call.getArg(Index), Variable) && mayChange(Function->getParamDecl(Index - First)->getType()) &&
        !isKeptBy(*Function, Index - First, Depth)) {
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

bool isHandedOnBy(const clang::Stmt& S, const clang::VarDecl& Variable, unsigned Depth) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S);
  return Call && !(Operator && Operator->getOperator() == clang::OO_Equal) && isHandedOn(*Call, Variable, Depth);
}

bool changes(const clang::Stmt& S, const clang::VarDecl& Variable, unsigned Depth) {
  return assignedBy(S, Variable) || isHandedOnBy(S, Variable, Depth);
}

bool anyChanges(const clang::Stmt* S, const clang::VarDecl& Variable, unsigned Depth) {
  return S && (changes(*S, Variable, Depth) ||
               llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return anyChanges(Each, Variable, Depth); }));
}

bool isReassigned(const clang::VarDecl& Variable, unsigned Depth) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  return !Function || !Function->getBody() || anyChanges(Function->getBody(), Variable, Depth);
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

/// False where the variable is handed on to what may change its form, or has another name.
bool collectAssigned(const clang::Stmt& S, const clang::VarDecl& Variable, std::vector<const clang::Expr*>& Values) {
  if (isHandedOnBy(S, Variable, MostDepth) || givesOtherName(S, Variable)) {
    return false;
  }
  if (const clang::Expr* Value = assignedBy(S, Variable)) {
    Values.push_back(Value);
  }
  return llvm::all_of(S.children(), [&](const clang::Stmt* Each) { return !Each || collectAssigned(*Each, Variable, Values); });
}

}  // namespace

const clang::FunctionDecl* writtenBody(const clang::FunctionDecl& F) {
  const clang::FunctionDecl* Pattern = F.getTemplateInstantiationPattern();
  const clang::FunctionDecl* Definition = nullptr;
  const bool IsSame = (Pattern ? Pattern : &F)->hasBody(Definition) && Definition->getNumParams() == F.getNumParams() &&
                      llvm::none_of(Definition->parameters(), [](const clang::ParmVarDecl* Each) { return Each->isParameterPack(); });
  return IsSame ? Definition : nullptr;
}

bool isReassigned(const clang::VarDecl& Variable) { return isReassigned(Variable, 0); }

std::optional<std::vector<const clang::Expr*>> valuesAssigned(const clang::VarDecl& Variable) {
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  std::vector<const clang::Expr*> Values;
  const bool AreAll = Function && Function->getBody() && collectAssigned(*Function->getBody(), Variable, Values);
  return AreAll ? std::optional(std::move(Values)) : std::nullopt;
}

}  // namespace graphgen::check
