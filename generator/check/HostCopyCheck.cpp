// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, and what their arguments say of devices.
#include "check/HostCopyCheck.h"

#include "check/code/GivenArguments.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Devices.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// Such a copy is made through pinned memory, and nobody waits for it.
bool doesNotBlock(const TensorCall& Given) { return isTrue(argumentGiven(*Given.Call, "non_blocking")); }

bool copiesToHost(const TensorCall& Given, const UnitIndex& Index) {
  return Given.Name == "cpu" || llvm::any_of(Given.Call->arguments(), [&](const clang::Expr* Each) { return namesHost(*Each, Index); });
}

}  // namespace

void HostCopyCheck::check(const clang::Stmt& S, const Place& At) const {
  const TensorCall Copy = tensorCall(S, {"cpu", "to", "copy_"});
  if (!Copy || !Copy.IsMethod || doesNotBlock(Copy)) {
    return;
  }
  if (Copy.Name != "copy_") {
    if (copiesToHost(Copy, At.Index)) {
      report(At, Copy.Where, Copy.Call->getSourceRange(), "'" + Copy.Name + "' copies a tensor to the host, which a graph cannot do");
    }
    return;
  }
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(Copy.Call);
  const clang::Expr& Target = originOf(*Call->getImplicitObjectArgument());
  if (makesHostTensor(Target, At.Index)) {
    suspect(At, Copy.Where, Copy.Call->getSourceRange(),
            "'copy_' writes into a tensor on the host, which a graph can do in pinned memory only",
            {{Target.getExprLoc(), "the tensor is made here"}});
  }
}

}  // namespace graphgen::check
