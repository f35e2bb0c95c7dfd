// SPDX-License-Identifier: Apache-2.0
//
// From the write set. What is made once, and what depends on shapes only, is no alarm: the warm-ups, which run plainly, have made it.
#include "check/ReboundCheck.h"

#include "check/WriteSet.h"
#include "check/code/DataReads.h"
#include "check/code/Owners.h"
#include "check/code/Paths.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {
namespace {

/// `if (!mask.defined()) mask = ...`
bool isAskedAbout(const clang::Stmt* S, const clang::ValueDecl& D) {
  if (!S) {
    return false;
  }
  const auto* If = llvm::dyn_cast<clang::IfStmt>(S);
  return (If && mentions(*If->getCond(), D)) || llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return isAskedAbout(Each, D); });
}

/// Whether a body, that of `In` or one on the way there, is as asked: `if (!mask.defined()) makeMask();`
bool anyOnTheWay(const Frame& In, llvm::function_ref<bool(const clang::Stmt* Body)> Is) {
  for (const Frame* Each = &In; Each; Each = Each->Caller) {
    if (Is(Each->Function->getBody())) {
      return true;
    }
  }
  return false;
}

/// `!cos.defined()`.
bool asksWhetherUndefined(const clang::Stmt& S, const clang::ValueDecl& D) {
  const auto* Not = llvm::dyn_cast<clang::UnaryOperator>(&S);
  const auto* Call = Not && Not->getOpcode() == clang::UO_LNot
                         ? llvm::dyn_cast<clang::CXXMemberCallExpr>(Not->getSubExpr()->IgnoreParenImpCasts())
                         : nullptr;
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  if (Method && Method->getIdentifier() && Method->getName() == "defined" && mentions(*Call->getImplicitObjectArgument(), D)) {
    return true;
  }
  return llvm::any_of(S.children(), [&](const clang::Stmt* Each) { return Each && asksWhetherUndefined(*Each, D); });
}

bool isMadeWhereUndefined(const clang::Stmt* S, const clang::ValueDecl& D) {
  const auto* If = llvm::dyn_cast_if_present<clang::IfStmt>(S);
  return S && ((If && asksWhetherUndefined(*If->getCond(), D)) ||
               llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return isMadeWhereUndefined(Each, D); }));
}

/// `if (!cos.defined()) { cos = ...; sin = ...; }`: whether S, a body on whose way there is such a question, assigns what it asks for.
bool assignsLazily(const clang::Stmt* S, const Frame& In) {
  const auto* Operator = llvm::dyn_cast_if_present<clang::CXXOperatorCallExpr>(S);
  const auto* Member = Operator && Operator->getOperator() == clang::OO_Equal
                           ? llvm::dyn_cast<clang::MemberExpr>(Operator->getArg(0)->IgnoreParenImpCasts())
                           : nullptr;
  const auto IsLazy = [&](const clang::Stmt* Body) { return isMadeWhereUndefined(Body, patternOf(*Member->getMemberDecl())); };
  if (Member && anyOnTheWay(In, IsLazy)) {
    return true;
  }
  return S && llvm::any_of(S->children(), [&](const clang::Stmt* Each) { return assignsLazily(Each, In); });
}

/// `mask = mask.to(x.device())` gives the same tensor after the first time.
bool convertsItself(const Write& Given) {
  const TensorCall Call = tensorCall(originOf(*Given.Value), {"to", "contiguous", "cuda", "type_as"});
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMemberCallExpr>(Call.Call);
  return Method && Given.Target.Declared && mentions(*Method->getImplicitObjectArgument(), patternOf(*Given.Target.Declared));
}

bool isAsked(const Write& Given, const Place& At) {
  return Given.Target.Declared &&
         anyOnTheWay(At.In, [&](const clang::Stmt* Body) { return isAskedAbout(Body, patternOf(*Given.Target.Declared)); });
}

bool isCache(const Write& Given, const Place& At) {
  if (!readsData(*Given.Value) || convertsItself(Given)) {
    return true;
  }
  if (At.IsCertain || !Given.Target.Declared) {
    return false;
  }
  return isAsked(Given, At) || assignsLazily(At.In.Function->getBody(), At.In);
}

/// Each call needs what the one before has left.
bool isCarried(const Write& Given, const Place& At) {
  const bool IsSwapped = Given.Operation == "swap" && outlivesCall(*Given.Value, At.In);
  return !At.In.Caller && Given.Target.Declared && (IsSwapped || readsDataOf(*Given.Value, *Given.Target.Declared));
}

}  // namespace

/// A module that is made once, `if (!net) net = ...`, is there after the warm-ups.
void ReboundCheck::judgeModule(const Write& Given, const Place& At) const {
  const bool IsOfAnother = outlivesCall(*Given.Value, At.In);
  const std::string Name = describe(Given.Target);
  if (Given.Operation == "swap" && IsOfAnother && !At.In.Caller) {
    report(At, Given.Where, Given.Range, Name + " is another module for each call, which a graph cannot follow");
  } else if (At.IsCertain || (IsOfAnother && !isAsked(Given, At))) {
    suspect(At, Given.Where, Given.Range,
            Name + " is given another module at the capture only, and replays use the tensors of the capture's");
  }
}

void ReboundCheck::check(const clang::Stmt& S, const Place& At) const {
  for (const Write& Each : writesOf(S, At)) {
    if (Each.Kind == Write::How::Module) {
      judgeModule(Each, At);
      continue;
    }
    const bool IsFilled = Each.Kind == Write::How::Filled;
    if (Each.Kind != Write::How::Rebound && !IsFilled) {
      continue;
    }
    const std::string Name = describe(Each.Target);
    if (Each.Outcome == Write::Fate::Refused) {
      report(At, Each.Where, Each.Range, Name + " is made another tensor, which ends a capture");
    } else if (!isCache(Each, At)) {
      if (!IsFilled && isCarried(Each, At)) {
        report(At, Each.Where, Each.Range, Name + " is another tensor for each call, made from the last one, which a graph cannot follow");
      } else {
        suspect(
            At, Each.Where, Each.Range,
            Name + (IsFilled ? " is filled" : " is assigned") + " at the capture only, and then shows memory that each replay overwrites");
      }
    }
  }
}

}  // namespace graphgen::check
