// SPDX-License-Identifier: Apache-2.0
//
// By the methods' names and the owners of the tensors. Hooks of tensors that the callable makes are part of its backward's graph.
#include "check/HookCheck.h"

#include "check/Step.h"
#include "check/WriteSet.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

void HookCheck::check(const clang::Stmt& S, const Place& At) const {
  const TensorCall Call = tensorCall(S, {"register_hook", "retain_grad"});
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMemberCallExpr>(Call.Call);
  if (!Method) {
    return;
  }
  const Owner Target = ownerOf(*Method->getImplicitObjectArgument(), Aspect::Tensor, At.In);
  if (Call.Name == "register_hook" && Target.outlivesCall()) {
    report(At, Call.Where, Method->getSourceRange(),
           "a hook is registered on " + describe(Target) + " by each call that is no replay, and by no replay");
  } else if (Call.Name == "retain_grad" && !isStep(At.Annotations)) {
    suspect(At, Call.Where, Method->getSourceRange(), "'retain_grad' keeps no gradient of a replay's tensor");
  }
}

}  // namespace graphgen::check
