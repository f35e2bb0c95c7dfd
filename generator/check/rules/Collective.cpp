// SPDX-License-Identifier: Apache-2.0
//
// A collective under a condition that ranks may decide differently: those that run it wait for those that do not.
#include "check/code/Spelled.h"
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// A call of the expression that other ranks may get something else from; null where there is none.
const clang::CallExpr* ofRankIn(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (Function && llvm::any_of(overlayOf(*Function), [](const OverlayRow* Each) { return mayDifferOverRanks(*Each->What); })) {
    return Call;
  }
  for (const clang::Stmt* Each : S.children()) {
    if (const clang::CallExpr* Found = Each ? ofRankIn(*Each) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

/// By the condition itself, or by what the unit puts into the members and variables that it is computed from.
const clang::CallExpr* decidedBy(const flow::Value& Condition, const UnitIndex& Unit) {
  if (const auto* Read = llvm::dyn_cast_if_present<clang::CallExpr>(Condition.OfRank ? Condition.OfRank : Condition.Data)) {
    return Read->getDirectCallee() ? Read : nullptr;
  }
  for (const flow::Path Each : Condition.Sources) {
    const clang::ValueDecl* Named = Each->outlivesCall() ? Each->named() : nullptr;
    for (const clang::Expr* Given : Named ? Unit.valuesOf(*Named) : std::vector<const clang::Expr*>()) {
      if (const clang::CallExpr* Found = ofRankIn(*Given)) {
        return Found;
      }
    }
  }
  return nullptr;
}

bool isCollective(const flow::Fact& Its) { return Its.What == flow::Fact::Kind::Call && isOf(Its, Trait::IsCollective); }

bool runsCollective(const flow::Summary& Body, const flow::Guard* Choice, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 8;
  const auto IsUnder = [&](const flow::Fact& Its) {
    return llvm::any_of(Its.Guards,
                        [&](const flow::Guard& Each) { return Each.Branch == Choice->Branch && Each.IsThen == Choice->IsThen; });
  };
  return Depth < MostDepth && llvm::any_of(
                                  Body.Facts,
                                  [&](const flow::Fact& Each) {
                                    return (!Choice || IsUnder(Each)) &&
                                           (isCollective(Each) || (Each.Into && runsCollective(*Each.Into, nullptr, Depth + 1)));
                                  });
}

/// `if (rank == 0) send(x); else receive(y);`: all ranks come to one of them.
bool isInBothBranches(const flow::Guard& Choice, const flow::Summary& Body) {
  const flow::Guard Other{Choice.Branch, Choice.Condition, !Choice.IsThen};
  return runsCollective(Body, &Other);
}

void tell(const Occurrence& At, const flow::Guard& Choice, const clang::CallExpr& By) {
  const bool IsRank =
      llvm::any_of(overlayOf(*By.getDirectCallee()), [](const OverlayRow* Each) { return Each->What->Its == Trait::GivesRank; });
  At.suspect(At.Rule, At.where(),
             "'" + operationOf(At.Its) + "' is called under a condition on '" + By.getDirectCallee()->getNameAsString() + "', which " +
                 (IsRank ? "differs" : "may differ") + " between ranks: those that call it wait for those that do not",
             {{Choice.Branch->getBeginLoc(), "the condition is here"}});
}

void judgeCollective(const Occurrence& At) {
  if (!isCollective(At.Its)) {
    return;
  }
  const flow::Fact* Its = &At.Its;
  for (const Way* Each = &At.In; Each; Its = Each->Entered, Each = Each->Caller) {
    for (const flow::Guard& Choice : Its->Guards) {
      const clang::CallExpr* By = Choice.Condition ? decidedBy(*Choice.Condition, At.Unit) : nullptr;
      if (By && !isInBothBranches(Choice, Each->Of)) {
        tell(At, Choice, *By);
        return;
      }
    }
  }
}

}  // namespace

const Rule rules::Collective{.OnCall = judgeCollective};

}  // namespace graphgen::check
