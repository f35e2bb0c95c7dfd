// SPDX-License-Identifier: Apache-2.0
//
// Of the branches around a place the conditions, and of these what the branch makes of them.
#include "check/SettledBranches.h"

#include "check/SettledConditions.h"
#include "check/code/Exits.h"
#include "check/state/BranchEffects.h"

#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

class Branches {
 public:
  Branches(const Frame& In, clang::SourceLocation Where, const Place& At)
      : In(In), At(At), Context(In.Function->getASTContext()), Where(fileLocation(Where)) {}

  bool anySettledIn(const clang::Stmt* S) const {
    if (!S || !holds(*S)) {
      return false;
    }
    if (const auto* If = llvm::dyn_cast<clang::IfStmt>(S); If && isSettledByIf(*If)) {
      return true;
    }
    if (const auto* Compound = llvm::dyn_cast<clang::CompoundStmt>(S); Compound && isSettledByReturn(*Compound)) {
      return true;
    }
    return llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return anySettledIn(Each); });
  }

 private:
  clang::SourceLocation fileLocation(clang::SourceLocation Given) const { return Context.getSourceManager().getFileLoc(Given); }

  bool holds(const clang::Stmt& S) const {
    return Context.getSourceManager().isPointWithin(Where, fileLocation(S.getBeginLoc()), fileLocation(S.getEndLoc()));
  }

  bool isSettledByIf(const clang::IfStmt& If) const {
    const bool IsThen = holds(*If.getThen());
    const bool IsElse = !IsThen && If.getElse() && holds(*If.getElse());
    return (IsThen || IsElse) && !If.isConsteval() && settles(*If.getCond(), IsThen, {IsThen ? If.getThen() : If.getElse()});
  }

  /// `if (built) return;` before the place.
  bool isSettledByReturn(const clang::CompoundStmt& S) const {
    const auto Place = llvm::find_if(S.body(), [&](const clang::Stmt* Each) { return holds(*Each); });
    for (auto Each = S.body_begin(); Place != S.body_end() && Each != Place; ++Each) {
      const auto* If = llvm::dyn_cast<clang::IfStmt>(*Each);
      const bool Leaves = If && !If->getElse() && !If->isConsteval() && leaves(If->getThen(), Context) && !endsInThrow(If->getThen());
      if (Leaves && settles(*If->getCond(), false, std::vector<const clang::Stmt*>(std::next(Each), S.body_end()))) {
        return true;
      }
    }
    return false;
  }

  bool settles(const clang::Expr& Condition, bool Taken, const std::vector<const clang::Stmt*>& Parts) const {
    return isSettled(Condition, Taken, BranchEffects::of(Parts), In, At.Index, At.Annotations);
  }

  const Frame& In;
  const Place& At;
  const clang::ASTContext& Context;
  clang::SourceLocation Where;
};

}  // namespace

bool isInSettledBranch(clang::SourceLocation Where, const Place& At) {
  if (At.IsCertain) {
    return false;
  }
  clang::SourceLocation Here = Where;
  for (const Frame* Each = &At.In; Each; Here = Each->Call, Each = Each->Caller) {
    if (Branches(*Each, Here, At).anySettledIn(Each->Function->getBody())) {
      return true;
    }
  }
  return false;
}

}  // namespace graphgen::check
