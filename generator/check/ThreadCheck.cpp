// SPDX-License-Identifier: Apache-2.0
//
// By the names of what starts threads, or hands work to those that there are.
#include "check/ThreadCheck.h"

#include "check/code/KnownCalls.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

bool isDeferred(const KnownCall& Call) {
  const auto* Policy = Call.Arguments.empty() ? nullptr : llvm::dyn_cast<clang::DeclRefExpr>(Call.Arguments[0]->IgnoreParenImpCasts());
  return Policy && Policy->getDecl()->getName() == "deferred";
}

/// As a message names it; empty where it starts none.
std::string starterOf(const clang::Stmt& S) {
  if (llvm::isa<clang::OMPExecutableDirective>(S)) {
    return "#pragma omp";
  }
  const KnownCall Call = knownCall(S);
  if (!Call || Call.Arguments.empty()) {
    return "";
  }
  if (Call.Function->isInStdNamespace() || Call.Class == "thread" || Call.Class == "jthread") {
    const bool IsThread = Call.Name == "thread" || Call.Name == "jthread";
    return IsThread || (Call.Name == "async" && !isDeferred(Call)) ? "std::" + Call.Name.str() : "";
  }
  const bool IsOfTorch = llvm::StringSwitch<bool>(Call.Name)
                             .Cases({"parallel_for", "parallel_reduce", "launch", "intraop_launch"}, Call.isOfNamespace())
                             .Case("run", Call.Class.ends_with("ThreadPool") || Call.Class.ends_with("ThreadPoolBase"))
                             .Default(false);
  return IsOfTorch ? Call.Name.str() : "";
}

}  // namespace

void ThreadCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const std::string Starter = starterOf(S); !Starter.empty()) {
    const KnownCall Call = knownCall(S);
    report(At, Call ? Call.Where : S.getBeginLoc(), S.getSourceRange(),
           "what '" + Starter + "' runs is no part of the graph: replays leave it out");
  }
}

}  // namespace graphgen::check
