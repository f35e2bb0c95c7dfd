// SPDX-License-Identifier: Apache-2.0
//
// `other = [&k](const Tensor& x) { return x * k; }`
#include "check/rules/Captured.h"

#include "check/flow/Types.h"
#include "check/rules/PlaceUse.h"
#include "check/rules/Tensors.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

namespace graphgen::check {
namespace {

using flow::PathNode;
using flow::Step;
using flow::TypeKind;

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
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* S) override {
    return S->getOperator() != clang::OO_Equal || noteChange(*S->getArg(0), S->getOperatorLoc());
  }

  clang::SourceLocation Found;

 private:
  bool noteChange(const clang::Expr& Target, clang::SourceLocation Where) {
    const auto* Name = llvm::dyn_cast_if_present<clang::DeclRefExpr>(nameIn(Target));
    const clang::SourceManager& Sources = Of.getASTContext().getSourceManager();
    if (Name && Name->getDecl() == &Of && Sources.isBeforeInTranslationUnit(Lambda.getBeginLoc(), Where)) {
      Found = Where;
    }
    return Found.isInvalid();
  }

  /// Of an element, that of the list.
  static const clang::Expr* nameIn(const clang::Expr& Target) {
    const clang::Expr* E = Target.IgnoreParenImpCasts();
    const auto* Element = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E);
    return Element && Element->getOperator() == clang::OO_Subscript ? nameIn(*Element->getArg(0)) : E;
  }

  const clang::VarDecl& Of;
  const clang::CXXRecordDecl& Lambda;
};

/// A number or tensor, or a list of such.
bool isValue(clang::QualType Type) {
  if (Type.isNull()) {
    return false;
  }
  const TypeKind Kind = flow::kindOf(Type);
  const bool IsList = Kind == TypeKind::Sequence || Kind == TypeKind::Map;
  return Kind == TypeKind::Number || Kind == TypeKind::Tensor || (IsList && isValue(flow::elementOf(Type)));
}

bool isPointerToValue(clang::QualType Type) { return flow::kindOf(Type) == TypeKind::Pointer && isValue(flow::pointeeOf(Type)); }

const clang::CXXRecordDecl* lambdaWith(const clang::FieldDecl& Capture) {
  const auto* Class = llvm::dyn_cast<clang::CXXRecordDecl>(Capture.getParent());
  return Class && Class->isLambda() ? Class : nullptr;
}

clang::SourceLocation changeBehind(const clang::CXXRecordDecl& Lambda, const clang::VarDecl& Variable) {
  const auto* Around = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  Search Changes(Variable, Lambda);
  if (Around && Around->getBody()) {
    Changes.TraverseStmt(Around->getBody());
  }
  return Changes.Found;
}

}  // namespace

bool isBehindFunction(const PathNode& Of) {
  bool IsReferred = false;
  for (const PathNode* Each = &Of; Each->parent(); Each = Each->parent()) {
    const Step& Last = Each->last();
    const clang::QualType Around = Last.What == Step::Kind::Pointee ? typeOf(*Each->parent()) : clang::QualType();
    const bool IsFunctions = !Around.isNull() && flow::kindOf(Around) == TypeKind::Function;
    if (IsFunctions || (Last.What == Step::Kind::Field && lambdaWith(*Last.Member))) {
      return IsReferred;
    }
    IsReferred |= Last.What == Step::Kind::Pointee;
  }
  return false;
}

const PathNode* objectOfOwnLambda(const PathNode& Capture) {
  const bool IsMember = Capture.last().What == Step::Kind::Field;
  const clang::CXXRecordDecl* Lambda = IsMember ? lambdaWith(*Capture.last().Member) : nullptr;
  const clang::CXXRecordDecl* This = Lambda ? Capture.last().Member->getType()->getPointeeCXXRecordDecl() : nullptr;
  const PathNode* Store = This && Capture.named() == Capture.last().Member ? Capture.parent() : nullptr;
  if (Store && !Store->parent()) {
    return Store;
  }
  while (Store && Store->parent() && Store->last().What != Step::Kind::Field) {
    Store = Store->parent();
  }
  const bool IsOwn = Store && Store->parent() && clang::declaresSameEntity(This, Store->last().Member->getParent());
  return IsOwn ? Store->parent() : nullptr;
}

std::optional<Captured> capturedAt(const PathNode& Of) {
  const PathNode* Capture = &Of;
  bool IsReferred = false;
  for (; Capture->parent() && Capture->last().What != Step::Kind::Field; Capture = Capture->parent()) {
    IsReferred |= Capture->last().What == Step::Kind::Pointee;
  }
  const clang::FieldDecl* Member = Capture->parent() ? Capture->last().Member : nullptr;
  const clang::CXXRecordDecl* Lambda = IsReferred && Member ? lambdaWith(*Member) : nullptr;
  const auto* Variable = Lambda ? llvm::dyn_cast_if_present<clang::VarDecl>(Capture->named()) : nullptr;
  if (!Variable) {
    return std::nullopt;
  }
  const bool IsShown = Member->getType()->isReferenceType();
  const clang::SourceLocation Change = IsShown ? changeBehind(*Lambda, *Variable) : clang::SourceLocation();
  const clang::QualType Type = Variable->getType().getNonReferenceType();
  const bool IsOfCaller = IsShown && llvm::isa<clang::ParmVarDecl>(Variable) && isToWrite(Variable->getType()) && isValue(Type);
  return IsOfCaller || Change.isValid() || isPointerToValue(Type) ? std::optional(Captured{Variable, Change}) : std::nullopt;
}

}  // namespace graphgen::check
