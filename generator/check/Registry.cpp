// SPDX-License-Identifier: Apache-2.0
//
// Every check, under its user-visible name.
#include "check/BackwardCheck.h"
#include "check/BatchNormAverageCheck.h"
#include "check/CaptureSafety.h"
#include "check/Check.h"
#include "check/CutGradientCheck.h"
#include "check/DefaultStreamCheck.h"
#include "check/DeviceCheck.h"
#include "check/DynamicShapeCheck.h"
#include "check/FrozenCheck.h"
#include "check/GeneratorCheck.h"
#include "check/HookCheck.h"
#include "check/HostBranchCheck.h"
#include "check/HostClockCheck.h"
#include "check/HostCompareCheck.h"
#include "check/HostCopyCheck.h"
#include "check/HostInputCheck.h"
#include "check/HostItemCheck.h"
#include "check/HostMemoryCheck.h"
#include "check/HostPointerCheck.h"
#include "check/HostPrintCheck.h"
#include "check/HostRandomCheck.h"
#include "check/HostStateCheck.h"
#include "check/LinalgSyncCheck.h"
#include "check/MetadataCheck.h"
#include "check/ModeCheck.h"
#include "check/ReboundCheck.h"
#include "check/SeedCheck.h"
#include "check/StreamCheck.h"
#include "check/SyncCheck.h"
#include "check/ThreadCheck.h"
#include "check/TorchOptimCheck.h"
#include "check/UnmarkedWriteCheck.h"
#include "check/conform/Conform.h"

namespace graphgen::check {

llvm::ArrayRef<const CaptureCheck*> captureChecks() {
  static const HostBranchCheck Branch("graphed-host-branch");
  static const HostItemCheck Item("graphed-host-item");
  static const HostCompareCheck Compare("graphed-host-compare");
  static const HostPrintCheck Print("graphed-host-print");
  static const HostCopyCheck Copy("graphed-host-copy");
  static const HostPointerCheck Pointer("graphed-host-pointer");
  static const DynamicShapeCheck Shape("graphed-dynamic-shape");
  static const SyncCheck Sync("graphed-sync");
  static const HostMemoryCheck Memory("graphed-host-memory");
  static const LinalgSyncCheck Linalg("graphed-linalg-sync");
  static const DefaultStreamCheck DefaultStream("graphed-default-stream");
  static const HostRandomCheck Random("graphed-host-random");
  static const HostClockCheck Clock("graphed-host-clock");
  static const HostInputCheck Input("graphed-host-input");
  static const HostStateCheck State("graphed-host-state");
  static const FrozenCheck Frozen("graphed-frozen");
  static const TorchOptimCheck Optim("graphed-torch-optim");
  static const BatchNormAverageCheck Average("graphed-batchnorm-average");
  static const GeneratorCheck Generator("graphed-generator");
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
  static const CaptureCheck* const All[] = {&Branch, &Item,    &Compare,       &Print,   &Copy,          &Pointer,    &Shape, &Sync,
                                            &Memory, &Linalg,  &DefaultStream, &Random,  &Clock,         &Input,      &State, &Frozen,
                                            &Optim,  &Average, &Generator,     &Rebound, &UnmarkedWrite, &Metadata,   &Hook,  &Mode,
                                            &Seed,   &Thread,  &Stream,        &Device,  &Backward,      &CutGradient};
  return All;
}

std::vector<scan::ScannedCallable> runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies,
                                             const CheckOptions& Options, scan::Reporter& Report) {
  std::vector<scan::ScannedCallable> Fitting;
  for (const scan::ScannedCallable& Scanned : Callables) {
    const scan::CallableInHand Trace(*Scanned.Declaration);
    const unsigned ErrorsBefore = Report.errors();
    checkConformity(Scanned, Report);
    if (Report.errors() == ErrorsBefore) {
      Fitting.push_back(Scanned);
    }
  }
  runCaptureChecks(Callables, Bodies, Options, Report);
  return Fitting;
}

}  // namespace graphgen::check
