// SPDX-License-Identifier: Apache-2.0
//
// `other = [&k](const Tensor& x) { return x * k; }`
#include "check/rules/Captured.h"

#include "check/code/Surrounded.h"
#include "check/flow/Types.h"
#include "check/rules/PlaceUse.h"
#include "check/rules/Tensors.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::check {
namespace {

using flow::PathNode;
using flow::Step;
using flow::TypeKind;

/// The first change of a variable behind the lambda, or in another lambda.
class Search : public SurroundedVisitor {
 public:
  /// `IsCopied`: the lambda has a copy of the pointer or holder, and a change of what that leads to counts alone.
  Search(const clang::VarDecl& Of, const clang::CXXRecordDecl& Lambda, bool IsCopied) : Lambda(Lambda), IsCopied(IsCopied) {
    Names.insert({&Of, {}});
  }

  bool TraverseLambdaExpr(clang::LambdaExpr* Each) override {
    const llvm::SaveAndRestore Within(IsLater, true);
    return Each->getLambdaClass() == &Lambda || clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(Each);
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* Name) override {
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    const auto Known = Variable ? Names.find(Variable) : Names.end();
    if (Known == Names.end() || Around.size() < 2) {
      return true;
    }
    const PlaceUse Use = useOfPlace(Around, !Known->second.IsPointer, /*IsKnown=*/true, /*In=*/nullptr);
    const bool IsBehind = Known->second.IsBehind || Use.IsBehind;
    const clang::SourceManager& Sources = Variable->getASTContext().getSourceManager();
    if (Use.IsChange && (IsBehind || !IsCopied) &&
        (IsLater || isKept() || Sources.isBeforeInTranslationUnit(Lambda.getBeginLoc(), Name->getLocation()))) {
      Found = Name->getLocation();
    } else if (Use.Alias) {
      Names.insert({Use.Alias, {!Use.Alias->getType()->isReferenceType(), IsBehind}});
    }
    return Found.isInvalid();
  }

  clang::SourceLocation Found;

 private:
  /// By an object, which may change it later: `Schedule schedule{rate}`.
  bool isKept() const {
    const auto IsAround = [](const clang::Stmt* Each) {
      return !llvm::isa<clang::CastExpr, clang::ParenExpr, clang::UnaryOperator, clang::DeclRefExpr>(Each);
    };
    const auto Outer = llvm::find_if(llvm::reverse(Around), IsAround);
    return Outer != Around.rend() && llvm::isa<clang::InitListExpr, clang::CXXConstructExpr>(*Outer);
  }

  struct Alias {
    bool IsPointer = false;  // to the variable
    bool IsBehind = false;
  };

  const clang::CXXRecordDecl& Lambda;
  const bool IsCopied;
  llvm::DenseMap<const clang::VarDecl*, Alias> Names;
  bool IsLater = false;
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

clang::SourceLocation changeBehind(const clang::CXXRecordDecl& Lambda, const clang::VarDecl& Variable, bool IsCopied) {
  const auto* Around = llvm::dyn_cast<clang::FunctionDecl>(Variable.getDeclContext());
  Search Changes(Variable, Lambda, IsCopied);
  if (Around && Around->getBody()) {
    Changes.TraverseStmt(Around->getBody());
  }
  return Changes.Found;
}

/// Of a local reference or a capture `&k = rate` what it shows, or of which it shows an element.
const clang::VarDecl& shownVariable(const clang::VarDecl& Variable) {
  constexpr unsigned MostSteps = 16;
  const clang::VarDecl* Its = &Variable;
  for (unsigned Step = 0; Step < MostSteps && Its->getType()->isReferenceType() && Its->getInit(); ++Step) {
    const clang::Expr* E = Its->getInit()->IgnoreParenImpCasts();
    while (const auto* Element = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E)) {
      E = Element->getArg(0)->IgnoreParenImpCasts();
    }
    const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E);
    const auto* Shown = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
    if (!Shown || Shown->hasGlobalStorage()) {
      break;
    }
    Its = Shown;
  }
  return *Its;
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
  bool IsReferred = false, IsPart = false;
  for (; Capture->parent() && Capture->last().What != Step::Kind::Field; Capture = Capture->parent()) {
    IsReferred |= Capture->last().What == Step::Kind::Pointee;
    IsPart = true;
  }
  const clang::FieldDecl* Member = Capture->parent() ? Capture->last().Member : nullptr;
  IsReferred |= IsPart && Member && Member->getType()->isPointerType();
  const clang::CXXRecordDecl* Lambda = IsReferred && Member ? lambdaWith(*Member) : nullptr;
  const auto* Variable = Lambda ? llvm::dyn_cast_if_present<clang::VarDecl>(Capture->named()) : nullptr;
  if (!Variable) {
    return std::nullopt;
  }
  const bool IsShown = Member->getType()->isReferenceType();
  const clang::VarDecl& Its = IsShown ? shownVariable(*Variable) : *Variable;
  const clang::QualType Type = Its.getType().getNonReferenceType();
  const clang::SourceLocation Change = changeBehind(*Lambda, Its, !IsShown);
  const bool IsOfCaller = IsShown && llvm::isa<clang::ParmVarDecl>(Its) && isToWrite(Its.getType()) && isValue(Type);
  return IsOfCaller || Change.isValid() || isPointerToValue(Type) ? std::optional(Captured{&Its, Change}) : std::nullopt;
}

}  // namespace graphgen::check
