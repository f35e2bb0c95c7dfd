// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Settled.h"

#include "check/code/Paths.h"
#include "check/flow/Types.h"
#include "check/rules/Tensors.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using flow::Fact;

using Effects = std::vector<const Fact*>;

bool isUnder(const Fact& Its, const flow::Guard& Choice) {
  return llvm::any_of(Its.Guards, [&](const flow::Guard& Each) { return Each.Branch == Choice.Branch && Each.IsThen == Choice.IsThen; });
}

/// What the branch does, and the bodies that it runs; null: all of the body.
void collect(const flow::Summary& Body, const flow::Guard* Choice, Effects& Found, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 8;
  for (const Fact& Each : Body.Facts) {
    if (Choice && !isUnder(Each, *Choice)) {
      continue;
    }
    Found.push_back(&Each);
    if (Each.Into && Depth < MostDepth) {
      collect(*Each.Into, nullptr, Found, Depth + 1);
    }
  }
}

bool isOne(flow::Path A, flow::Path B) { return A->isWithin(*B) || B->isWithin(*A); }

/// Of a condition that asks whether what lives on is there, or set, and of nothing else: what it has to be for the branch.
std::optional<bool> askedTruth(const flow::Guard& Choice) {
  const flow::Asks For = Choice.Condition->For;
  return For == flow::Asks::Nothing ? std::nullopt
                                    : std::optional((For == flow::Asks::IsThere || For == flow::Asks::WasThere) == Choice.IsThen);
}

/// To the same value in each call, or, where it is asked whether it is there, to any.
bool sets(const Fact& Its, flow::Path Asked, bool IsToAny) {
  const bool IsIt =
      Its.What == Fact::Kind::Rebind && llvm::any_of(Its.Object->Targets, [&](const flow::Target& Each) { return isOne(Each.Of, Asked); });
  const auto IsOld = [&](flow::Path Each) { return Each == Asked; };
  const flow::TypeKind Kind = flow::kindOf(typeOf(*Asked));
  const bool IsPointer = Kind == flow::TypeKind::Pointer, IsList = Kind == flow::TypeKind::Sequence || Kind == flow::TypeKind::Map;
  const bool IsNull = Its.From && ((IsPointer && Its.From->Targets.empty() && !Its.From->MayBeOther) || (IsList && Its.From->Number));
  return IsIt && !IsNull && (!Its.From || ((!Its.From->Data || IsToAny) && llvm::none_of(Its.From->Sources, IsOld)));
}

bool takesAway(const clang::FunctionDecl& Called, bool IsTensor) {
  const llvm::StringRef Name = Called.getIdentifier() ? Called.getName() : "";
  return Name == "reset" || (!IsTensor && llvm::is_contained({"clear", "erase", "extract", "swap", "exchange", "pop_back"}, Name));
}

/// By all but constructors and the branch.
bool isLeftAlone(flow::Path Asked, const Effects& Branch, const UnitIndex& Unit) {
  const clang::ValueDecl* Named = Asked->named();
  const bool IsTensor = Named && llvm::is_contained({flow::TypeKind::Tensor, flow::TypeKind::Pointer},
                                                    flow::kindOf(Named->getType()));  // another one assigned to it is there as well
  const auto IsOurs = [&](clang::SourceLocation Where) {
    return llvm::any_of(Branch, [&](const Fact* Each) { return Each->What == Fact::Kind::Rebind && whereOf(*Each) == Where; });
  };
  const auto Calls = [&](const StateUse& Use) {
    return llvm::any_of(Branch, [&](const Fact* Each) { return Each->Function && &patternOf(*Each->Function) == Use.Called; });
  };
  return Named &&
         llvm::none_of(Unit.writesTo(*Named),
                       [&](const StateWrite& Each) {
                         return Each.Writer && !llvm::isa<clang::CXXConstructorDecl>(Each.Writer) && !IsOurs(Each.Where) &&
                                !(IsTensor && Each.Value && !isEmpty(*Each.Value));
                       }) &&
         llvm::none_of(Unit.usesOf(*Named), [&](const StateUse& Each) { return takesAway(*Each.Called, IsTensor) && !Calls(Each); });
}

/// What is compared takes turns where the sizes of calls do, but with the largest of them.
bool takesTurns(const clang::Stmt* S, bool IsThen) {
  const auto* Binary = llvm::dyn_cast_if_present<clang::BinaryOperator>(S);
  if (Binary && Binary->isComparisonOp()) {
    const clang::BinaryOperatorKind Kind = IsThen ? Binary->getOpcode() : clang::BinaryOperator::negateComparisonOp(Binary->getOpcode());
    return Kind != clang::BO_LT && Kind != clang::BO_GT;
  }
  return S && llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return takesTurns(Each, IsThen); });
}

const clang::Stmt* conditionOf(const clang::Stmt& Branch) {
  const auto* If = llvm::dyn_cast<clang::IfStmt>(&Branch);
  return If ? If->getCond() : nullptr;
}

bool isSettledBy(const flow::Guard& Choice, const flow::Summary& In, const UnitIndex& Unit) {
  if (!Choice.Condition || Choice.Condition->Data || Choice.Condition->How == flow::Change::EachCall) {
    return false;
  }
  const auto& Asked = Choice.Condition->Sources;
  const auto Outlives = [](flow::Path Each) { return Each->outlivesCall(); };
  if (!llvm::all_of(Asked, Outlives) && takesTurns(conditionOf(*Choice.Branch), Choice.IsThen)) {
    return false;
  }
  Effects Branch;
  collect(In, &Choice, Branch);
  const std::optional<bool> Truth = askedTruth(Choice);
  const auto IsTrue = [](const Fact& Each) { return Each.From && (!Each.From->Number || *Each.From->Number != 0); };
  const auto IsOf = [&](const Fact& Each, flow::Path Other) {
    return Each.From && ((Each.From->Unset && isOne(Each.From->Unset, Other)) ||
                         llvm::any_of(Each.From->Sources, [&](flow::Path Of) { return isOne(Of, Other); }) ||
                         llvm::any_of(Each.From->Targets, [&](const flow::Target& Of) { return isOne(Of.Of, Other); }));
  };
  const auto IsSetToOthers = [&](const Fact& Its, flow::Path One) {
    return llvm::all_of(Asked, [&](flow::Path Other) {
      return isOne(Other, One) || !Outlives(Other) || IsOf(Its, Other) ||
             llvm::any_of(Branch, [&](const Fact* Each) { return sets(*Each, Other, Truth.has_value()); });
    });
  };
  const auto IsSet = [&](flow::Path One) {
    return Outlives(One) && llvm::any_of(Branch, [&](const Fact* Each) {
             return sets(*Each, One, Truth.has_value()) && IsTrue(*Each) != Truth && IsSetToOthers(*Each, One);
           });
  };
  const bool IsAdded = Choice.Condition->For == flow::Asks::WasMissing || Choice.Condition->For == flow::Asks::WasThere;
  return (IsAdded ? Truth == false : llvm::any_of(Asked, IsSet)) &&
         llvm::all_of(Asked, [&](flow::Path One) { return !Outlives(One) || isLeftAlone(One, Branch, Unit); });
}

}  // namespace

bool isEmpty(const clang::Expr& Value) {
  const clang::Expr& E = *Value.IgnoreUnlessSpelledInSource();
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  return llvm::isa<clang::CXXNullPtrLiteralExpr>(E) || (Construction && Construction->getNumArgs() == 0);
}

bool isSettled(const Occurrence& At) {
  const Fact* Its = &At.Its;
  for (const Way* Each = &At.In; Each; Each = Each->Caller) {
    if (llvm::any_of(Its->Guards, [&](const flow::Guard& Choice) { return isSettledBy(Choice, Each->Of, At.Unit); })) {
      return true;
    }
    Its = Each->Entered;
  }
  return false;
}

}  // namespace graphgen::check
