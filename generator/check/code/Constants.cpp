// SPDX-License-Identifier: Apache-2.0
//
// By Clang's evaluation; through the operators of logic, where it gives up, and through local variables.
#include "check/code/Constants.h"

#include "check/code/Spelled.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostConstantDepth = 16;

std::optional<bool> truth(const clang::Expr& Given, const clang::ASTContext& Context, unsigned Depth);

const clang::Expr* loaded(const clang::Stmt& S) {
  const auto* Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&S);
  return Cast && Cast->getCastKind() == clang::CK_LValueToRValue ? Cast->getSubExpr()->IgnoreParens() : nullptr;
}

/// Whether each mention of the variable in S only takes its value.
bool isOnlyRead(const clang::Stmt& S, const clang::VarDecl& Variable) {
  if (llvm::isa_and_present<clang::DeclRefExpr>(loaded(S))) {
    return true;
  }
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&S);
  return !(Name && Name->getDecl() == &Variable) &&
         llvm::all_of(S.children(), [&](const clang::Stmt* Each) { return !Each || isOnlyRead(*Each, Variable); });
}

/// The number that a local variable is made with and keeps; null where it may come to hold another.
const clang::Expr* keptNumber(const clang::Expr& E) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  if (!Variable || !Variable->isLocalVarDecl() || !Variable->hasInit() || !Variable->getType()->isIntegralOrEnumerationType()) {
    return nullptr;
  }
  const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Variable->getDeclContext());
  return Function && Function->getBody() && isOnlyRead(*Function->getBody(), *Variable) ? Variable->getInit() : nullptr;
}

/// c10's switch that makes each TORCH_WARN_ONCE a TORCH_WARN, which is off unless a program asks for it.
bool isWarnAlways(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return Function && Function->getQualifiedNameAsString() == "c10::WarningUtils::get_warnAlways";
}

std::optional<bool> truthOfLogic(const clang::BinaryOperator& E, const clang::ASTContext& Context, unsigned Depth) {
  const bool Decisive = E.getOpcode() == clang::BO_LOr;
  const std::optional<bool> Left = truth(*E.getLHS(), Context, Depth);
  const std::optional<bool> Right = truth(*E.getRHS(), Context, Depth);
  if (Left == Decisive || Right == Decisive) {
    return Decisive;
  }
  return Left && Right ? std::optional(!Decisive) : std::nullopt;
}

std::optional<bool> truth(const clang::Expr& Given, const clang::ASTContext& Context, unsigned Depth) {
  if (Given.isValueDependent() || Given.containsErrors() || Depth == MostConstantDepth) {
    return std::nullopt;
  }
  if (bool Value = false; Given.EvaluateAsBooleanCondition(Value, Context)) {
    return Value;
  }
  const clang::Expr& E = withoutCasts(Given);
  if (isWarnAlways(E)) {
    return false;
  }
  if (const clang::Expr* Kept = keptNumber(E)) {
    return truth(*Kept, Context, Depth + 1);
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E); Unary && Unary->getOpcode() == clang::UO_LNot) {
    const std::optional<bool> Inner = truth(*Unary->getSubExpr(), Context, Depth + 1);
    return Inner ? std::optional(!*Inner) : std::nullopt;
  }
  const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&E);
  return Binary && Binary->isLogicalOp() ? truthOfLogic(*Binary, Context, Depth + 1) : std::nullopt;
}

}  // namespace

std::optional<bool> constantTruth(const clang::Expr& Condition, const clang::ASTContext& Context) { return truth(Condition, Context, 0); }

const clang::Expr* excludedOperand(const clang::Stmt& S, const clang::ASTContext& Context) {
  if (const auto* Choice = llvm::dyn_cast<clang::ConditionalOperator>(&S)) {
    const std::optional<bool> Known = constantTruth(*Choice->getCond(), Context);
    return Known == true ? Choice->getFalseExpr() : Known == false ? Choice->getTrueExpr() : nullptr;
  }
  const auto* Binary = llvm::dyn_cast<clang::BinaryOperator>(&S);
  const bool IsDecided =
      Binary && Binary->isLogicalOp() && constantTruth(*Binary->getLHS(), Context) == (Binary->getOpcode() == clang::BO_LOr);
  return IsDecided ? Binary->getRHS() : nullptr;
}

}  // namespace graphgen::check
