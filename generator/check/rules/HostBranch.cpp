// SPDX-License-Identifier: Apache-2.0
//
// A condition that is computed from a tensor's values: a graph has one path.
#include "check/code/Spelled.h"
#include "check/rules/Rule.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

void judgeHostBranch(const Occurrence& At) {
  const auto* Read = At.Its.From ? llvm::dyn_cast_if_present<clang::CallExpr>(At.Its.From->Data) : nullptr;
  if (!Read || !Read->getDirectCallee()) {
    return;
  }
  At.report(At.Rule, nameOf(*Read),
            "a branch on a tensor's value, which '" + Read->getDirectCallee()->getNameAsString() +
                "' reads on the host: a graph has one path; choose by torch::where, graphed::if_else or graphed::while_loop",
            {{At.Its.Expressions[0]->getBeginLoc(), "the branch is here"}});
}

}  // namespace

const Rule rules::HostBranch{.OnBranch = judgeHostBranch};

}  // namespace graphgen::check
