// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Carried.h"

#include "check/flow/Types.h"
#include "check/rules/Tensors.h"
#include "scan/MemberTypes.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace graphgen::check {
namespace {

/// A number or a list of any length, which a cache is known by.
bool isNumberOfObject(const flow::Target& Each) {
  const clang::QualType Type = typeOf(*Each.Of);
  if (Each.Of->from() != flow::Root::Object || Type.isNull()) {
    return false;
  }
  const flow::TypeKind Kind = flow::kindOf(Type);
  const bool IsList = Kind == flow::TypeKind::Sequence || Kind == flow::TypeKind::Map;
  return IsList || (!holdsTensors(Type) && !holdsModule(Type) && tensorsOf(Type).empty());
}

/// Of a module, or of one that the object holds: it may keep what only others look at.
bool isOfModule(const clang::CXXMethodDecl& Method, const flow::PathNode& To) {
  const auto* Field = llvm::dyn_cast_or_null<clang::FieldDecl>(To.named());
  const auto* Class = Field ? llvm::dyn_cast<clang::CXXRecordDecl>(Field->getParent()) : nullptr;
  return scan::isModule(*Method.getParent()) || (Class && scan::isModule(*Class));
}

/// Of a part of a pair the pair, which is what a class has for a member.
const flow::PathNode& outsideOfPairs(const flow::PathNode& Of) {
  const flow::PathNode* Each = &Of;
  while (Each->parent() && flow::isPair(typeOf(*Each->parent()))) {
    Each = Each->parent();
  }
  return *Each;
}

/// Whether an operator computes from one of the places, in the body or in one that it calls.
bool computes(const flow::Summary& Body, llvm::function_ref<bool(flow::Path)> FromIt, std::set<const flow::Summary*>& Seen) {
  return Seen.insert(&Body).second && llvm::any_of(Body.Facts, [&](const flow::Fact& Each) {
           const flow::ValueRef Made = Each.Operator ? Each.From : Each.Computed;
           return (Each.What == flow::Fact::Kind::Call && Made && llvm::any_of(Made->Sources, FromIt)) ||
                  (Each.Into && computes(*Each.Into, FromIt, Seen));
         });
}

const clang::Expr* askedBy(const clang::Stmt& Branch) {
  if (const auto* If = llvm::dyn_cast<clang::IfStmt>(&Branch)) {
    return If->getCond();
  }
  const auto* While = llvm::dyn_cast<clang::WhileStmt>(&Branch);
  return While ? While->getCond() : nullptr;
}

/// With which the condition compares.
std::optional<int64_t> constantIn(const clang::Expr& Condition, const clang::ASTContext& Context) {
  const auto* Comparison = llvm::dyn_cast<clang::BinaryOperator>(Condition.IgnoreParenImpCasts());
  for (const clang::Expr* Each : {Comparison ? Comparison->getRHS() : nullptr, Comparison ? Comparison->getLHS() : nullptr}) {
    clang::Expr::EvalResult Result;
    if (Each && Comparison->isComparisonOp() && !Each->isValueDependent() && Each->EvaluateAsInt(Result, Context)) {
      return Result.Val.getInt().getExtValue();
    }
  }
  return std::nullopt;
}

}  // namespace

bool isLookedAt(AnnotationsOfOne Annotations, const flow::PathNode& To) {
  const auto* Field = llvm::dyn_cast_or_null<clang::FieldDecl>(outsideOfPairs(To).named());
  if (To.from() != flow::Root::Object || !Field || Annotations.empty()) {
    return false;
  }
  const std::vector<const clang::FieldDecl*> Tensors = tensorFieldsOf(*Field);
  return !Tensors.empty() && llvm::all_of(Tensors, [&](const auto* Each) { return Annotations.front()->Watched->has(*Each); });
}

bool callsCarry(const flow::Fact& Its, const Way& In, AnnotationsOfOne Annotations, const flow::Target& To) {
  const auto* Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Annotations.empty() ? nullptr : Annotations.front()->Declaration);
  const auto ChangesNumber = [&](const flow::Fact& Each) {
    return Each.What == flow::Fact::Kind::Rebind && &Each != &Its && llvm::any_of(Each.Object->Targets, isNumberOfObject);
  };
  const auto IsRead = [&] {
    const Way* Whole = &In;
    while (Whole->Caller) {
      Whole = Whole->Caller;
    }
    std::set<const flow::Summary*> Seen;
    return computes(Whole->Of, [&](flow::Path Source) { return Source->isWithin(*To.Of) || To.Of->isWithin(*Source); }, Seen);
  };
  const auto PassesOn = [&](const flow::Fact& Each) {
    const auto IsIt = [&](const flow::Target& One) { return One.Of == To.Of && !One.IsView && !One.IsPart; };
    const auto IsOther = [&](const flow::Target& One) { return One.Of != To.Of && isLookedAt(Annotations, *One.Of); };
    return Each.What == flow::Fact::Kind::Rebind && Each.From && llvm::any_of(Each.From->Targets, IsIt) &&
           llvm::any_of(Each.Object->Targets, IsOther);
  };
  return Method && isLookedAt(Annotations, *To.Of) &&
         ((!isOfModule(*Method, *To.Of) && llvm::none_of(In.Of.Facts, ChangesNumber)) || IsRead() || llvm::any_of(In.Of.Facts, PassesOn));
}

std::optional<int64_t> callsUntilFull(const Occurrence& At, const flow::Target& Element) {
  const flow::Path List = Element.Of->parent();
  if (!List || !holdsTensors(typeOf(*Element.Of)) || !callsCarry(At.Its, At.In, At.Annotations, Element)) {
    return std::nullopt;
  }
  const auto IsOfList = [&](const flow::Fact& Each) {
    return Each.What == flow::Fact::Kind::Rebind && Each.Grows &&
           llvm::any_of(Each.Object->Targets, [&](const flow::Target& One) { return One.Of->parent() == List; });
  };
  bool IsAdded = false;
  std::optional<int64_t> Count;
  for (const flow::Fact& Each : At.In.Of.Facts) {
    if (!IsOfList(Each)) {
      continue;
    }
    IsAdded |= Each.From != nullptr;
    if (!Each.From && Each.IsCertain) {
      Count = 0;
    }
    for (const flow::Guard& Choice : Each.From ? llvm::ArrayRef<flow::Guard>() : llvm::ArrayRef<flow::Guard>(Each.Guards)) {
      const clang::Expr* Condition = askedBy(*Choice.Branch);
      const bool IsOfSize = Choice.Condition && llvm::is_contained(Choice.Condition->Sources, List);
      if (const auto Most = Condition && IsOfSize ? constantIn(*Condition, At.In.Of.Function->getASTContext()) : std::nullopt) {
        Count = Most;
      }
    }
  }
  return IsAdded ? Count : std::nullopt;
}

}  // namespace graphgen::check
