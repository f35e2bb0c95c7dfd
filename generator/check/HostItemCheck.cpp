// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names.
#include "check/HostItemCheck.h"

#include "check/HostReads.h"
#include "check/TensorCalls.h"

namespace graphgen::check {

void HostItemCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const TensorCall Read = tensorCall(S, {"item", "is_nonzero", "_local_scalar_dense"})) {
    return report(At, Read.Where, Read.Call->getSourceRange(),
                  "'" + Read.Name + "' reads a tensor's value on the host, which a graph cannot do");
  }
  const HostRead Read = ownHostRead(S, At.Annotations);
  if (!Read) {
    return;
  }
  const std::string Message = (Read.IsBackward ? "the backward of '" : "'") + Read.Name.str() +
                              (Read.IsCertain || Read.IsBackward ? "' reads" : "' may read") +
                              " a tensor's value on the host, which a graph cannot do";
  if (Read.IsCertain) {
    report(At, Read.Where, S.getSourceRange(), Message);
  } else {
    suspect(At, Read.Where, S.getSourceRange(), Message);
  }
}

}  // namespace graphgen::check
