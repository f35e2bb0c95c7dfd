// SPDX-License-Identifier: Apache-2.0
//
// An index by a tensor of no dimensions, which becomes a number of the host. What else reads one is in the overlay.
#include "check/rules/Tensors.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

constexpr llvm::StringLiteral ReadsIndex =
    "an index by a tensor without dimensions reads its value on the host, which a graph cannot do; index_select does not, nor an index of "
    "one dimension, such as i.view(1)";

bool isKnownOnHost(flow::ValueRef Index) { return isOfHost(Index) && Index->How <= flow::Change::PerKey; }

void judgeHostItem(const Occurrence& At) {
  const auto* Subscript = llvm::dyn_cast<clang::CXXOperatorCallExpr>(At.Its.At);
  if (Subscript && At.Its.Operator && At.Its.Operator->Called->Overload == "subscript_Tensor") {
    if (!isKnownOnHost(At.argument("index"))) {
      At.report(At.Rule, Subscript->getArg(1)->getBeginLoc(), ReadsIndex);
    }
    return;
  }
  const TensorIndexing Index = indexingOf(At);
  const auto IsRead = [](flow::ValueRef Each) { return hasNoDimensions(Each) && !isKnownOnHost(Each); };
  if (Index.IsByTensorIndex && llvm::any_of(Index.Tensors, IsRead)) {
    At.report(ReadsIndex);
  }
}

}  // namespace

const Rule rules::HostItem{.OnCall = judgeHostItem};

}  // namespace graphgen::check
