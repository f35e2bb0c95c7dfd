// SPDX-License-Identifier: Apache-2.0
//
// A copy into a tensor that is made on the host: `copy_`, an assigned part, an index without tensors. Others are in the overlay.
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// Where the program does not name the host, only what is where the arguments are is of another device than what the call makes.
void judgeCopied(const Occurrence& At, flow::ValueRef From, flow::ValueRef Into) {
  if (!isOfHost(Into) || isOfHost(From)) {
    return;
  }
  const bool IsOwn = llvm::none_of(Into->Targets, [](const flow::Target& Each) { return Each.Of->outlivesCall(); });
  if ((isOfDevice(From) && IsOwn) || argument(*Into->Made, "device")) {
    At.suspect(At.Rule, At.where(),
               "'" + operationOf(At.Its) + "' writes into a tensor on the host, which a graph can do in pinned memory only",
               noteOfMade(Into));
  }
}

void judgeHostCopy(const Occurrence& At) {
  const Operator* Op = At.Its.Operator ? At.Its.Operator->Called : nullptr;
  if (Op && Op->Name == "copy_") {
    judgeCopied(At, At.argument("src"), At.argument("self"));
  }
  const TensorIndexing Index = indexingOf(At);
  if (Index.IsWrite && Index.Tensors.empty() && Index.Written) {
    judgeCopied(At, Index.Written, At.argument("self"));
  }
}

/// `made[0] = x`
void judgeAssignedPart(const Occurrence& At) {
  if (At.Its.From) {
    judgeCopied(At, At.Its.From, At.Its.Object);
  }
}

}  // namespace

const Rule rules::HostCopy{.OnCall = judgeHostCopy, .OnWrite = judgeAssignedPart};

}  // namespace graphgen::check
