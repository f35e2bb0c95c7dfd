// SPDX-License-Identifier: Apache-2.0
//
// A result whose shape depends on a tensor's values: by the schema's tag, and of an index by what is known to be a mask.
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"
#include "check/torch/Overlay.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// A mask whose place a number takes is not an index but `masked_fill_`, where the number is one of the host and there is no other index.
bool asksForPlaces(const TensorIndexing& Index, const Occurrence& At) {
  const bool IsByMask = llvm::any_of(Index.Tensors, [](flow::ValueRef Each) { return isOfMask(Each) && !hasNoDimensions(Each); });
  return IsByMask && (!Index.IsWrite || Index.Tensors.size() > 1 || isTrue(At.argument("accumulate")) || isOfDevice(Index.Written));
}

bool hasRow(const clang::FunctionDecl& Function) {
  return llvm::any_of(overlayOf(Function), [](const OverlayRow* Each) { return Each->What->Rule == "graphed-dynamic-shape"; });
}

void judgeDynamicShape(const Occurrence& At) {
  if (!At.Its.Operator || isOfKnownValues(At)) {
    return;
  }
  if (const TensorIndexing Index = indexingOf(At); Index.IsIndex) {
    if (asksForPlaces(Index, At)) {
      At.report(Index.IsWrite ? "writing a tensor at a mask needs the places where the mask is set, whose number a graph cannot follow"
                              : "an index by a mask has a shape that depends on the mask's values, which a graph cannot follow");
    }
    return;
  }
  if (At.Its.Operator->Called->has(DynamicOutputShape) && !hasRow(*At.Its.Function)) {
    At.report("the shape that '" + operationOf(At.Its) + "' gives depends on a tensor's values, which a graph cannot follow");
  }
}

}  // namespace

const Rule rules::DynamicShape{.OnCall = judgeDynamicShape};

}  // namespace graphgen::check
