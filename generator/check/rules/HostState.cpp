// SPDX-License-Identifier: Apache-2.0
//
// A number or a container that outlives the call is made of what an earlier call left in it. What each call sets again is the same in each.
#include "check/rules/Carried.h"
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

/// That run before the first capture.
int64_t warmUpsOf(const Occurrence& At) {
  int64_t Count = 3;
  for (const scan::ScannedCallable* Each : At.Annotations) {
    for (const annotation::Setting& Said : Each->Callable.Options) {
      Count = Said.Kind == annotation::OptionKind::Warmup ? Said.Number : Count;
    }
  }
  return Count;
}

void judgeHostState(const Occurrence& At) {
  for (const flow::Target& Each : At.Its.Object->Targets) {
    const clang::ValueDecl* Named = changedBy(At.Its, Each);
    const std::optional<int64_t> Full = Named ? callsUntilFull(At, Each) : std::nullopt;
    if (!Named || (Full && (*Full < warmUpsOf(At) || !At.Its.From))) {
      continue;
    }
    const std::string Calls = Full ? std::to_string(*Full) : "";
    const std::string Remedy =
        Full ? "; fill it with " + Calls + " tensors before the first call, or write 'warmup = " + std::to_string(*Full + 1) + "'" : "";
    At.suspect("'" + Named->getName() + "' changes when the graph is captured, not in replays" + Remedy);
  }
}

}  // namespace

const Rule rules::HostState{.OnRebind = judgeHostState};

}  // namespace graphgen::check
