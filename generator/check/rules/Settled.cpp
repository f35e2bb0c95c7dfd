// SPDX-License-Identifier: Apache-2.0
#include "check/rules/Settled.h"

#include "check/flow/Types.h"
#include "check/rules/Tensors.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using flow::Fact;

bool isUnder(const Fact& Its, const flow::Guard& Choice) {
  return llvm::any_of(Its.Guards, [&](const flow::Guard& Each) { return Each.Branch == Choice.Branch && Each.IsThen == Choice.IsThen; });
}

bool isOne(flow::Path A, flow::Path B) { return A->isWithin(*B) || B->isWithin(*A); }

/// To the same value in each call.
bool sets(const Fact& Its, flow::Path Asked) {
  const bool IsIt =
      Its.What == Fact::Kind::Rebind && llvm::any_of(Its.Object->Targets, [&](const flow::Target& Each) { return isOne(Each.Of, Asked); });
  const auto IsOld = [&](flow::Path Each) { return Each == Asked; };
  const bool IsPointer = flow::kindOf(typeOf(*Asked)) == flow::TypeKind::Pointer;
  const bool IsNull = IsPointer && Its.From && Its.From->Targets.empty() && !Its.From->MayBeOther;
  return IsIt && !IsNull && (!Its.From || (!Its.From->Data && llvm::none_of(Its.From->Sources, IsOld)));
}

bool setsIn(const flow::Summary& Body, flow::Path Asked, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 8;
  return Depth < MostDepth &&
         llvm::any_of(
             Body.Facts, [&](const Fact& Each) { return sets(Each, Asked) || (Each.Into && setsIn(*Each.Into, Asked, Depth + 1)); });
}

/// What is compared for equality takes turns where the sizes of calls do.
bool comparesForEquality(const clang::Stmt* S) {
  const auto* Binary = llvm::dyn_cast_if_present<clang::BinaryOperator>(S);
  return S && ((Binary && Binary->isEqualityOp()) || llvm::any_of(S->children(), comparesForEquality));
}

const clang::Stmt* conditionOf(const clang::Stmt& Branch) {
  const auto* If = llvm::dyn_cast<clang::IfStmt>(&Branch);
  return If ? If->getCond() : nullptr;
}

bool isSettledBy(const flow::Guard& Choice, const flow::Summary& In) {
  if (!Choice.Condition || Choice.Condition->Data || Choice.Condition->How == flow::Change::EachCall) {
    return false;
  }
  const bool AsksSizes = llvm::any_of(Choice.Condition->Sources, [](flow::Path Each) { return !Each->outlivesCall(); });
  if (AsksSizes && comparesForEquality(conditionOf(*Choice.Branch))) {
    return false;
  }
  return llvm::any_of(Choice.Condition->Sources, [&](flow::Path Asked) {
    return Asked->outlivesCall() && llvm::any_of(In.Facts, [&](const Fact& Each) {
             return isUnder(Each, Choice) && (sets(Each, Asked) || (Each.Into && setsIn(*Each.Into, Asked)));
           });
  });
}

}  // namespace

bool isSettled(const Occurrence& At) {
  const Fact* Its = &At.Its;
  for (const Way* Each = &At.In; Each; Each = Each->Caller) {
    if (llvm::any_of(Its->Guards, [&](const flow::Guard& Choice) { return isSettledBy(Choice, Each->Of); })) {
      return true;
    }
    Its = Each->Entered;
  }
  return false;
}

}  // namespace graphgen::check
