// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names.
#include "check/HostItemCheck.h"

#include "check/TensorCalls.h"

namespace graphgen::check {

void HostItemCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const TensorCall Read = tensorCall(S, {"item", "is_nonzero", "_local_scalar_dense"})) {
    report(At, Read.Where, Read.Call->getSourceRange(), "'" + Read.Name + "' reads a tensor's value on the host, which a graph cannot do");
  }
}

}  // namespace graphgen::check
