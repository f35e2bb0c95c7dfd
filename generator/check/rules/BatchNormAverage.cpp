// SPDX-License-Identifier: Apache-2.0
//
// By the option `momentum(nullopt)` of the module that is called.
#include "check/code/Classes.h"
#include "check/code/Library.h"
#include "check/rules/Rule.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isNullopt(const clang::Stmt& S) {
  const auto* E = llvm::dyn_cast<clang::Expr>(&S);
  return (E && libraryClass(E->getType()) == "nullopt_t") ||
         llvm::any_of(S.children(), [](const clang::Stmt* Each) { return Each && isNullopt(*Each); });
}

void judgeBatchNorm(const Occurrence& At) {
  const flow::Setting* Momentum = flow::settingOf(At.Its.Settings, "momentum");
  const auto* Forward = llvm::dyn_cast_if_present<clang::CXXMethodDecl>(At.Its.Function);
  if (Momentum && Forward && Forward->getParent()->getName().starts_with("BatchNorm") && isNullopt(*Momentum->Given)) {
    At.suspect(At.Rule, At.where(),
               "batch normalisation with a cumulative average reads its count on the host while it trains, which a graph cannot do",
               {{Momentum->At->getExprLoc(), "the average is chosen here"}});
  }
}

}  // namespace

const Rule rules::BatchNormAverage{.OnCall = judgeBatchNorm};

}  // namespace graphgen::check
