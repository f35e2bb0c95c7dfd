// SPDX-License-Identifier: Apache-2.0
//
// From the write set.
#include "check/UnmarkedWriteCheck.h"

#include "check/WriteSet.h"

namespace graphgen::check {

void UnmarkedWriteCheck::check(const clang::Stmt& S, const Place& At) const {
  for (const Write& Each : writesOf(S, At)) {
    if (Each.Kind == Write::How::Values && Each.Outcome == Write::Fate::Refused) {
      report(At, Each.Where, Each.Range,
             "'" + Each.Operation + "' writes to " + describe(Each.Target) + ", which the annotation does not mark 'inplace'");
    }
  }
}

}  // namespace graphgen::check
