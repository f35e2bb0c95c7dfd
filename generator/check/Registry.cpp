// SPDX-License-Identifier: Apache-2.0
//
// Every check, under its user-visible name.
#include "check/AnnotationMismatchCheck.h"
#include "check/BackwardCheck.h"
#include "check/CaptureSafety.h"
#include "check/Check.h"
#include "check/CutGradientCheck.h"
#include "check/DeviceCheck.h"
#include "check/DynamicShapeCheck.h"
#include "check/HookCheck.h"
#include "check/HostBranchCheck.h"
#include "check/HostCompareCheck.h"
#include "check/HostCopyCheck.h"
#include "check/HostItemCheck.h"
#include "check/HostPointerCheck.h"
#include "check/HostPrintCheck.h"
#include "check/MetadataCheck.h"
#include "check/ModeCheck.h"
#include "check/ReboundCheck.h"
#include "check/SeedCheck.h"
#include "check/StreamCheck.h"
#include "check/ThreadCheck.h"
#include "check/UnmarkedScalarCheck.h"
#include "check/UnmarkedWriteCheck.h"

namespace graphgen::check {

llvm::ArrayRef<const CaptureCheck*> captureChecks() {
  static const HostBranchCheck Branch("graphed-host-branch");
  static const HostItemCheck Item("graphed-host-item");
  static const HostCompareCheck Compare("graphed-host-compare");
  static const HostPrintCheck Print("graphed-host-print");
  static const HostCopyCheck Copy("graphed-host-copy");
  static const HostPointerCheck Pointer("graphed-host-pointer");
  static const DynamicShapeCheck Shape("graphed-dynamic-shape");
  static const ReboundCheck Rebound("graphed-rebound");
  static const UnmarkedWriteCheck UnmarkedWrite("graphed-unmarked-write");
  static const MetadataCheck Metadata("graphed-metadata");
  static const HookCheck Hook("graphed-hook");
  static const ModeCheck Mode("graphed-mode");
  static const SeedCheck Seed("graphed-seed");
  static const ThreadCheck Thread("graphed-thread");
  static const StreamCheck Stream("graphed-stream");
  static const DeviceCheck Device("graphed-device");
  static const BackwardCheck Backward("graphed-backward");
  static const CutGradientCheck CutGradient("graphed-cut-gradient");
  static const CaptureCheck* const All[] = {&Branch,   &Item, &Compare, &Print, &Copy,   &Pointer, &Shape,  &Rebound,  &UnmarkedWrite,
                                            &Metadata, &Hook, &Mode,    &Seed,  &Thread, &Stream,  &Device, &Backward, &CutGradient};
  return All;
}

void runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const CheckOptions& Options, scan::Reporter& Report) {
  static const AnnotationMismatchCheck Mismatch("graphed-mismatch");
  static const UnmarkedScalarCheck UnmarkedScalar("graphed-unmarked-parameter");
  static const Check* const OfAnnotations[] = {&Mismatch, &UnmarkedScalar};
  for (const scan::ScannedCallable& Scanned : Callables) {
    const scan::CallableInHand Trace(*Scanned.Declaration);
    for (const Check* C : OfAnnotations) {
      C->check(Scanned, Report);
    }
  }
  runCaptureChecks(Callables, Options, Report);
}

}  // namespace graphgen::check
