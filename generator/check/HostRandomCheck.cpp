// SPDX-License-Identifier: Apache-2.0
//
// An engine that each call makes anew gives each the same numbers, and is no alarm.
#include "check/HostRandomCheck.h"

#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

bool isEngine(clang::QualType Type) {
  const llvm::StringRef Class = libraryClass(Type);
  return Class.ends_with("_engine") || Class == "mt19937";
}

/// What a distribution, an engine or std::shuffle draws from; null where S draws nothing.
const clang::Expr* sourceOf(const clang::Stmt& S) {
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&S); Operator && Operator->getOperator() == clang::OO_Call) {
    const llvm::StringRef Class = libraryClass(Operator->getArg(0)->getType());
    if (Class.ends_with("_distribution") && Operator->getNumArgs() > 1) {
      return Operator->getArg(1);
    }
    return isEngine(Operator->getArg(0)->getType()) || Class == "random_device" ? Operator->getArg(0) : nullptr;
  }
  const KnownCall Call = knownCall(S);
  const bool Draws = Call && Call.isOneOf({"std::shuffle", "std::sample", "std::generate_canonical"});
  return Draws ? Call.Arguments.back() : nullptr;
}

bool isLocalObject(const clang::Expr& E) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E.IgnoreParenImpCasts());
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  return !E.isLValue() || (Variable && Variable->hasLocalStorage() && !Variable->getType()->isReferenceType());
}

}  // namespace

void HostRandomCheck::check(const clang::Stmt& S, const Place& At) const {
  constexpr llvm::StringLiteral Message = "a random number of the host is drawn when the graph is captured, not by replays";
  const KnownCall Call = knownCall(S);
  if (Call && Call.isOneOf({"rand", "std::rand", "random", "rand_r", "drand48", "erand48", "lrand48", "mrand48", "arc4random",
                            "std::random_shuffle"})) {
    return report(At, Call.Where, S.getSourceRange(), Message);
  }
  const clang::Expr* Source = sourceOf(S);
  if (!Source) {
    return;
  }
  if (outlivesCall(*Source, At.In) || libraryClass(Source->getType()) == "random_device") {
    report(At, S.getBeginLoc(), S.getSourceRange(), Message);
  } else if (!isLocalObject(*Source)) {
    suspect(At, S.getBeginLoc(), S.getSourceRange(), Message);
  }
}

}  // namespace graphgen::check
