// SPDX-License-Identifier: Apache-2.0
//
// From the write set; requires_grad_ of arguments, whose annotation says what they are.
#include "check/MetadataCheck.h"

#include "check/WriteSet.h"
#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {
namespace {

/// The argument that is made to require grad, or not to, against its annotation; else unknown.
Owner turned(const clang::Stmt& S, const Place& At) {
  const TensorCall Call = tensorCall(S, {"requires_grad_", "set_requires_grad"});
  const auto* Method = llvm::dyn_cast_if_present<clang::CXXMemberCallExpr>(Call.Call);
  bool Wanted = true;
  if (!Method || (Method->getNumArgs() > 0 && !Method->getArg(0)->EvaluateAsBooleanCondition(Wanted, Call.Function->getASTContext()))) {
    return {};
  }
  const Owner Target = ownerOf(*Method->getImplicitObjectArgument(), Aspect::Tensor, At.In);
  const bool IsArgument = Target.What == Owner::Kind::Argument;
  return IsArgument && isFlagged(Target, annotation::Flag::Grad, At.Annotations) != Wanted ? Target : Owner();
}

}  // namespace

void MetadataCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const Owner Turned = turned(S, At); Turned.What == Owner::Kind::Argument) {
    const KnownCall Call = knownCall(S);
    return report(At, Call.Where, S.getSourceRange(),
                  "'" + Call.Name.str() + "' changes whether " + describe(Turned) + " requires grad, which ends a capture");
  }
  for (const Write& Each : writesOf(S, At)) {
    if (Each.Kind != Write::How::Metadata) {
      continue;
    }
    const std::string Named = "'" + Each.Operation + "' gives " + describe(Each.Target) + " ";
    if (Each.Outcome == Write::Fate::CaptureOnly) {
      suspect(At, Each.Where, Each.Range, Named + "the graph's memory, at the capture only, which each replay overwrites");
    } else {
      report(At, Each.Where, Each.Range, Named + "another shape or other memory, which ends a capture");
    }
  }
}

}  // namespace graphgen::check
