// SPDX-License-Identifier: Apache-2.0
//
// A value that nothing in the unit changes after construction is static for the instance, and no alarm.
#include "check/FrozenCheck.h"

#include "check/code/GivenArguments.h"
#include "check/code/Paths.h"
#include "check/state/Atomics.h"
#include "check/state/Changes.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isNumber(clang::QualType Type) { return Type->isArithmeticType() || Type->isEnumeralType(); }

const clang::FunctionDecl& annotated(const Frame& In) { return In.Caller ? annotated(*In.Caller) : *In.Function; }

/// By the callable whose calls come to In.
bool isWrittenBy(const Frame& In, const clang::ValueDecl& D, const UnitIndex& Index) {
  llvm::SmallPtrSet<const clang::FunctionDecl*, 16> Seen;
  std::vector<const clang::FunctionDecl*> Open;
  for (const Frame* Each = &In; Each; Each = Each->Caller) {
    Open.push_back(Each->Function);  // calls in templates are not in the index
  }
  while (!Open.empty()) {
    const clang::FunctionDecl* Each = Open.back()->getCanonicalDecl();
    Open.pop_back();
    if (Seen.insert(Each).second) {
      llvm::append_range(Open, Index.callsIn(*Each));
    }
  }
  return llvm::any_of(Index.writesTo(D),
                      [&](const StateWrite& Each) { return Each.Writer && Seen.contains(Each.Writer->getCanonicalDecl()); });
}

/// Each call looks at it in its object, so that another value is another capture. What the callable itself writes cannot be.
bool isKey(const clang::ValueDecl& D, const Place& At) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&annotated(At.In));
  const auto* Field = llvm::dyn_cast<clang::FieldDecl>(&D);
  return Method && Field && scan::isWatchedMember(*Method, *Field) && !isWrittenBy(At.In, D, At.Index);
}

}  // namespace

void FrozenCheck::judge(const clang::Expr& Given, const Place& At) const {
  const clang::Expr& Read = *Given.IgnoreParenImpCasts();
  const clang::Expr& Shown = shownBy(Read);
  const Path Place = pathOf(Shown);
  if (!Place.Named || !isNumber(withoutAtomic(Read.getType())) || Place.Named->getType().isConstQualified() ||
      !outlivesCall(Shown, At.In)) {
    return;
  }
  const StateWrite* Change = changeBetweenCalls(Shown, At.In, At.Index);
  if (Change && !isKey(*Place.Named, At)) {
    suspect(At, Read.getExprLoc(), Read.getSourceRange(),
            "'" + Place.Named->getName() + "' is read when the graph is captured: replays keep that value",
            {{Change->Where, "it is changed here"}});
  }
}

void FrozenCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const auto* Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&S); Cast && Cast->getCastKind() == clang::CK_LValueToRValue) {
    return judge(*Cast->getSubExpr(), At);
  }
  if (const clang::Expr* Read = atomicRead(S)) {
    return judge(*Read, At);
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&S);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  if (!Function) {
    return;
  }
  for (const auto& [Parameter, Each] : llvm::zip(Function->parameters(), argumentsOf(S, *Function))) {
    const clang::QualType Type = Parameter->getType();
    if (Type->isReferenceType() && Type.getNonReferenceType().isConstQualified()) {
      judge(*Each, At);
    }
  }
}

}  // namespace graphgen::check
