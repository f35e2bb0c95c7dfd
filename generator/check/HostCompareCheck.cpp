// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names.
#include "check/HostCompareCheck.h"

#include "check/TensorCalls.h"

namespace graphgen::check {

void HostCompareCheck::check(const clang::Stmt& S, const Place& At) const {
  if (const TensorCall Read = tensorCall(S, {"equal", "allclose"})) {
    report(At, Read.Where, Read.Call->getSourceRange(), "'" + Read.Name + "' compares tensors on the host, which a graph cannot do");
  }
}

}  // namespace graphgen::check
