// SPDX-License-Identifier: Apache-2.0
//
// Runs the capture-safety checks over the bodies of a file's callables, and tells what they found unless it is silenced.
#pragma once

#include "check/Check.h"

namespace graphgen::check {

void runCaptureChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies, const CheckOptions& Options,
                      scan::Reporter& Report);

}  // namespace graphgen::check
