// SPDX-License-Identifier: Apache-2.0
//
// From the write set. Of a chain of writes the first is told.
#include "check/UnmarkedWriteCheck.h"

#include "check/WriteSet.h"

namespace graphgen::check {

void UnmarkedWriteCheck::check(const clang::Stmt& S, const Place& At) const {
  for (const Write& Each : writesOf(S, At)) {
    if (Each.Kind != Write::How::Values || Each.Outcome != Write::Fate::Refused || Each.IsFurther) {
      continue;
    }
    const std::string Rest = describe(Each.Target) + ", which the annotation does not mark 'inplace'";
    if (Each.IsPerhaps) {
      suspect(At, Each.Where, Each.Range, "'" + Each.Operation + "' may write to " + Rest);
    } else {
      report(At, Each.Where, Each.Range, "'" + Each.Operation + "' writes to " + Rest, {},
             fixesThatMark(Each.Target, annotation::Flag::Inplace, At.Annotations));
    }
  }
}

}  // namespace graphgen::check
