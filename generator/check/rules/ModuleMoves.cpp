// SPDX-License-Identifier: Apache-2.0
//
// A module that each call moves from one device to another and back, as `net->to(device)` before and `net->to(torch::kCPU)` behind the
// work.
#include "check/rules/Rule.h"
#include "check/rules/Words.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// Of Module::to, cuda() and cpu(); null of another call.
const flow::Value* destinationOf(const Occurrence& At) {
  const bool IsOfModule = At.Its.What == flow::Fact::Kind::Call && At.Its.Function && At.Its.Object &&
                          At.Its.Function->getQualifiedNameAsString() == "torch::nn::Module::to";
  return IsOfModule ? At.argument("0") : nullptr;
}

void judgeMoves(llvm::ArrayRef<Occurrence> All) {
  llvm::MapVector<flow::Path, std::vector<const Occurrence*>> Moves;
  for (const Occurrence& Each : All) {
    const flow::Path Moved = destinationOf(Each) ? Each.Its.Object->target() : nullptr;
    if (Moved && Moved->outlivesCall()) {
      Moves[Moved].push_back(&Each);
    }
  }
  for (const auto& [Moved, Places] : Moves) {
    const flow::Device First = destinationOf(*Places.front())->On;
    const auto IsElsewhere = [&](const Occurrence* Each) { return destinationOf(*Each)->On != First; };
    for (const Occurrence* Each : llvm::any_of(Places, IsElsewhere) ? Places : std::vector<const Occurrence*>()) {
      Each->suspect("graphed-metadata", Each->where(),
                    "'to' gives the tensors of a module other memory in each call, which a replay cannot do");
    }
  }
}

}  // namespace

const Rule rules::ModuleMoves{.OnEnd = judgeMoves};

}  // namespace graphgen::check
