// SPDX-License-Identifier: Apache-2.0
//
// Every check, under its user-visible name.
#include "check/AnnotationMismatchCheck.h"
#include "check/Check.h"
#include "check/UnmarkedScalarCheck.h"

namespace graphgen::check {

void runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, scan::Reporter& Report) {
  static const AnnotationMismatchCheck Mismatch("graphed-mismatch");
  static const UnmarkedScalarCheck UnmarkedScalar("graphed-unmarked-parameter");
  static const Check* const All[] = {&Mismatch, &UnmarkedScalar};
  for (const scan::ScannedCallable& Scanned : Callables) {
    const scan::CallableInHand Trace(*Scanned.Declaration);
    for (const Check* C : All) {
      C->check(Scanned, Report);
    }
  }
}

}  // namespace graphgen::check
