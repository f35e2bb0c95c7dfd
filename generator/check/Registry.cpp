// SPDX-License-Identifier: Apache-2.0
//
// Every check, under its user-visible name.
#include "check/AnnotationMismatchCheck.h"
#include "check/CaptureSafety.h"
#include "check/Check.h"
#include "check/DynamicShapeCheck.h"
#include "check/HostBranchCheck.h"
#include "check/HostCompareCheck.h"
#include "check/HostCopyCheck.h"
#include "check/HostItemCheck.h"
#include "check/HostPointerCheck.h"
#include "check/HostPrintCheck.h"
#include "check/UnmarkedScalarCheck.h"

namespace graphgen::check {

llvm::ArrayRef<const CaptureCheck*> captureChecks() {
  static const HostBranchCheck Branch("graphed-host-branch");
  static const HostItemCheck Item("graphed-host-item");
  static const HostCompareCheck Compare("graphed-host-compare");
  static const HostPrintCheck Print("graphed-host-print");
  static const HostCopyCheck Copy("graphed-host-copy");
  static const HostPointerCheck Pointer("graphed-host-pointer");
  static const DynamicShapeCheck Shape("graphed-dynamic-shape");
  static const CaptureCheck* const All[] = {&Branch, &Item, &Compare, &Print, &Copy, &Pointer, &Shape};
  return All;
}

void runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies, const CheckOptions& Options,
               scan::Reporter& Report) {
  static const AnnotationMismatchCheck Mismatch("graphed-mismatch");
  static const UnmarkedScalarCheck UnmarkedScalar("graphed-unmarked-parameter");
  static const Check* const OfAnnotations[] = {&Mismatch, &UnmarkedScalar};
  for (const scan::ScannedCallable& Scanned : Callables) {
    const scan::CallableInHand Trace(*Scanned.Declaration);
    for (const Check* C : OfAnnotations) {
      C->check(Scanned, Report);
    }
  }
  runCaptureChecks(Callables, Bodies, Options, Report);
}

}  // namespace graphgen::check
