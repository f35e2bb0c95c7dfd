// SPDX-License-Identifier: Apache-2.0
//
// From a module that is called to what it was made of.
#include "check/BatchNormAverageCheck.h"

#include "check/calls/FoundModules.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

bool isNullopt(const clang::Expr& E) {
  return libraryClass(E.getType()) == "nullopt_t" || llvm::any_of(E.children(), [](const clang::Stmt* Each) {
           const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
           return Part && isNullopt(*Part);
         });
}

/// The call BatchNormOptions::momentum(nullopt) in S; null where there is none.
const clang::CXXMemberCallExpr* averageIn(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const clang::CXXMethodDecl* Method = Call ? Call->getMethodDecl() : nullptr;
  const bool IsMomentum = Method && Method->getIdentifier() && Method->getName() == "momentum" && Call->getNumArgs() == 1 &&
                          libraryClass(Call->getObjectType()).starts_with("BatchNorm");
  if (IsMomentum && isNullopt(*Call->getArg(0))) {
    return Call;
  }
  for (const clang::Stmt* Each : S.children()) {
    if (const auto* Found = Each ? averageIn(*Each) : nullptr) {
      return Found;
    }
  }
  return nullptr;
}

}  // namespace

void BatchNormAverageCheck::check(const clang::Stmt& S, const Place& At) const {
  const ModuleRun Run = moduleRun(S);
  if (!Run) {
    return;
  }
  std::vector<const clang::Expr*> Values = valuesOf(Run, At.Index);
  llvm::transform(modulesFound(Run, At.Index), std::back_inserter(Values), [](const HeldModule& Each) { return Each.Made; });
  for (const clang::Expr* Each : Values) {
    if (const clang::CXXMemberCallExpr* Average = averageIn(*Each)) {
      return suspect(At, Run.Where, S.getSourceRange(),
                     "batch normalisation with a cumulative average reads its count on the host while it trains, which a graph cannot do",
                     {{Average->getExprLoc(), "the average is chosen here"}});
    }
  }
}

}  // namespace graphgen::check
