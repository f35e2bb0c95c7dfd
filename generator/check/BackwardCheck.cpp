// SPDX-License-Identifier: Apache-2.0
//
// By calls of `backward`; torch::autograd::grad leaves nothing behind.
#include "check/BackwardCheck.h"

#include "check/Step.h"
#include "check/code/GivenArguments.h"
#include "check/code/KnownCalls.h"

namespace graphgen::check {

void BackwardCheck::check(const clang::Stmt& S, const Place& At) const {
  const KnownCall Call = knownCall(S);
  const bool IsBackward = Call && Call.Name == "backward" && (Call.isOfNamespace() || Call.Class == "Tensor" || Call.Class == "TensorBase");
  if (!IsBackward) {
    return;
  }
  if (!isStep(At.Annotations)) {
    return suspect(At, Call.Where, S.getSourceRange(), "'backward' gives leaves another '.grad', which only a 'step' may do");
  }
  if (const clang::Expr* Given = argumentGiven(*Call.Function, Call.Arguments, "create_graph"); isTrue(Given)) {
    suspect(At, Given->getBeginLoc(), Given->getSourceRange(),
            "'create_graph' ties each '.grad' to the graph that it came from, which then holds its capture's memory for ever");
  }
}

}  // namespace graphgen::check
