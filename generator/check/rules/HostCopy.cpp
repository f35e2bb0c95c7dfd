// SPDX-License-Identifier: Apache-2.0
//
// A copy into a tensor that is made on the host. Others are in the overlay.
#include "check/rules/Tensors.h"

namespace graphgen::check {
namespace {

void judgeHostCopy(const Occurrence& At) {
  const Operator* Op = At.Its.Operator ? At.Its.Operator->Called : nullptr;
  if (!Op || Op->Name != "copy_" || isTrue(At.argument("non_blocking"))) {
    return;
  }
  const flow::ValueRef Into = At.argument("self"), From = At.argument("src");
  const bool SaysHost = isOfHost(Into) && argument(*Into->Made, "device") != nullptr;
  if (SaysHost && !isOfHost(From)) {
    At.suspect(At.Rule, At.where(), "'copy_' writes into a tensor on the host, which a graph can do in pinned memory only",
               noteOfMade(Into));
  }
}

}  // namespace

const Rule rules::HostCopy{.OnCall = judgeHostCopy};

}  // namespace graphgen::check
