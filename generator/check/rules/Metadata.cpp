// SPDX-License-Identifier: Apache-2.0
//
// A tensor from outside is made another one in place. Of a view only the view changes.
#include "check/rules/Rule.h"
#include "check/rules/Words.h"
#include "check/torch/Overlay.h"

namespace graphgen::check {
namespace {

void judgeTurned(const Occurrence& At, const flow::Target& Each) {
  const flow::ValueRef Given = At.argument("0");
  const bool IsKnown = !Given || Given->Number;
  const bool IsWanted = !Given || !Given->Number || *Given->Number != 0;
  if (IsKnown && Each.Of->from() == flow::Root::Argument && isFlagged(*Each.Of, annotation::Flag::Grad, At.Annotations) != IsWanted) {
    At.report("'" + operationOf(At.Its) + "' changes whether " + wordsOf(*Each.Of) + " requires grad, which ends a capture");
  }
}

void judgeMetadata(const Occurrence& At) {
  const bool Turns = isOf(At.Its, Trait::TurnsGrad), Shares = isOf(At.Its, Trait::ChangesMemory);
  const flow::ValueRef Changed = Turns ? At.Its.Object : madeAnotherBy(At.Its);
  for (const flow::Target& Each : Changed ? Changed->Targets : llvm::ArrayRef<flow::Target>()) {
    if (Each.IsView || !Each.IsExact || !Each.Of->isOutside()) {
      continue;
    }
    const std::string Named = "'" + operationOf(At.Its) + "' gives " + wordsOf(*Each.Of) + " ";
    if (Turns) {
      judgeTurned(At, Each);
    } else if (Shares && Each.Of->outlivesCall()) {
      At.suspect(Named + "the graph's memory, at the capture only, which each replay overwrites");
    } else {
      At.report(Named + "another shape or other memory, which ends a capture");
    }
  }
}

}  // namespace

const Rule rules::Metadata{.OnCall = judgeMetadata};

}  // namespace graphgen::check
