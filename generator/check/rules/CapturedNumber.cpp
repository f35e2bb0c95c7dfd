// SPDX-License-Identifier: Apache-2.0
//
// `other = [&k](const Tensor& x) { return x * k; }`: no member is `k`, and the bytes of the std::function have only its address.
#include "check/rules/CapturedNumber.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// The first change of a variable behind the lambda.
class Search : public clang::DynamicRecursiveASTVisitor {
 public:
  Search(const clang::VarDecl& Of, const clang::CXXRecordDecl& Lambda) : Of(Of), Lambda(Lambda) {}

  bool TraverseLambdaExpr(clang::LambdaExpr* Each) override {
    return Each->getLambdaClass() == &Lambda || clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Each);
  }
  bool VisitBinaryOperator(clang::BinaryOperator* S) override {
    return !S->isAssignmentOp() || noteChange(*S->getLHS(), S->getOperatorLoc());
  }
  bool VisitUnaryOperator(clang::UnaryOperator* S) override {
    return !S->isIncrementDecrementOp() || noteChange(*S->getSubExpr(), S->getOperatorLoc());
  }

  clang::SourceLocation Found;

 private:
  bool noteChange(const clang::Expr& Target, clang::SourceLocation Where) {
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Target.IgnoreParenImpCasts());
    const clang::SourceManager& Sources = Of.getASTContext().getSourceManager();
    if (Name && Name->getDecl() == &Of && Sources.isBeforeInTranslationUnit(Lambda.getBeginLoc(), Where)) {
      Found = Where;
    }
    return Found.isInvalid();
  }

  const clang::VarDecl& Of;
  const clang::CXXRecordDecl& Lambda;
};

/// Null where it captures no number of another function's by reference.
const clang::VarDecl* variableIn(const clang::Expr& Read, const clang::CXXRecordDecl& Lambda) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(Read.IgnoreParenImpCasts());
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  const clang::QualType Type = Variable ? Variable->getType().getNonReferenceType() : clang::QualType();
  const auto IsIt = [&](const clang::LambdaCapture& Each) {
    return Each.capturesVariable() && Each.getCapturedVar() == Variable && Each.getCaptureKind() == clang::LCK_ByRef;
  };
  const bool IsNumber = Variable && (Type->isArithmeticType() || Type->isEnumeralType()) && !Type.isConstQualified();
  return IsNumber && llvm::any_of(Lambda.captures(), IsIt) ? Variable : nullptr;
}

}  // namespace

std::optional<CapturedNumber> capturedNumber(const Occurrence& Read) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Read.In.Of.Function);
  const auto* E = llvm::dyn_cast<clang::Expr>(Read.Its.At);
  const clang::VarDecl* Variable = Method && E && Method->getParent()->isLambda() ? variableIn(*E, *Method->getParent()) : nullptr;
  const auto* Around = Variable ? llvm::dyn_cast<clang::FunctionDecl>(Variable->getDeclContext()) : nullptr;
  const auto IsStored = [&](const flow::Target& Each) { return Each.Of->outlivesCall() && Each.Of->declared() != Variable; };
  if (!Around || !Around->getBody() || !llvm::any_of(Read.Its.Object->Targets, IsStored)) {
    return std::nullopt;
  }
  Search Changes(*Variable, *Method->getParent());
  Changes.TraverseStmt(Around->getBody());
  const bool IsOfCaller = llvm::isa<clang::ParmVarDecl>(Variable) && Variable->getType()->isLValueReferenceType();
  return IsOfCaller || Changes.Found.isValid() ? std::optional(CapturedNumber{Variable, Changes.Found}) : std::nullopt;
}

}  // namespace graphgen::check
