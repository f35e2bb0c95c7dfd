// SPDX-License-Identifier: Apache-2.0
//
// A number or a container that outlives the call is made of what an earlier call left in it. What each call sets again is the same in each.
#include "check/rules/Rule.h"
#include "check/rules/Tensors.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// The variable or member that changes, with all that it holds.
const clang::ValueDecl* changedBy(const flow::Fact& Its, const flow::Target& To) {
  if (!To.Of->outlivesCall()) {
    return nullptr;
  }
  const auto IsOld = [&](flow::Path Each) { return Each == To.Of; };
  const bool IsUpdate =
      !Its.Function && Its.From && !Its.From->Made && llvm::any_of(Its.From->Sources, IsOld) && !holdsTensors(typeOf(*To.Of));
  return IsUpdate || Its.Grows ? To.Of->named() : nullptr;
}

void judgeHostState(const Occurrence& At) {
  for (const flow::Target& Each : At.Its.Object->Targets) {
    if (const clang::ValueDecl* Named = changedBy(At.Its, Each)) {
      At.suspect("'" + Named->getName() + "' changes when the graph is captured, not in replays");
    }
  }
}

}  // namespace

const Rule rules::HostState{.OnRebind = judgeHostState};

}  // namespace graphgen::check
