// SPDX-License-Identifier: Apache-2.0
//
// The host looks through a pointer into a tensor's memory.
#include "check/code/Spelled.h"
#include "check/rules/Rule.h"
#include "check/torch/Overlay.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// The call that took it.
const clang::CallExpr* takenBy(flow::ValueRef Pointer) {
  const auto* Call = Pointer ? llvm::dyn_cast_if_present<clang::CallExpr>(Pointer->Made) : nullptr;
  const bool IsTaken = Call && Call->getDirectCallee() && llvm::any_of(overlayOf(*Call->getDirectCallee()), [](const OverlayRow* Each) {
                         return Each->What->Its == Trait::GivesPointer;
                       });
  return IsTaken ? Call : nullptr;
}

void judgePointer(const Occurrence& At, flow::ValueRef Pointer, clang::SourceLocation Where) {
  if (const clang::CallExpr* Taken = takenBy(Pointer)) {
    At.report(At.Rule, Where, "a tensor's memory is used by the host, which is not part of a graph",
              {{nameOf(*Taken), "the pointer is taken here"}});
  }
}

void judgeLook(const Occurrence& At) { judgePointer(At, At.Its.Object, At.Its.Expressions.front()->getBeginLoc()); }

/// What a function of the standard library is given, it looks at.
void judgeGiven(const Occurrence& At) {
  const auto LooksAt = [](const OverlayRow* Each) { return Each->Conditions[0].What == Condition::Kind::PointsIntoTensor; };
  if (!At.Its.Function || llvm::none_of(overlayOf(*At.Its.Function), LooksAt)) {
    return;
  }
  for (const auto& [Given, Known] : llvm::zip_equal(At.Its.Expressions, At.Its.Arguments)) {
    if (takenBy(Known)) {
      return judgePointer(At, Known, Given->getBeginLoc());
    }
  }
}

}  // namespace

const Rule rules::HostPointer{.OnCall = judgeGiven, .OnLook = judgeLook};

}  // namespace graphgen::check
