// SPDX-License-Identifier: Apache-2.0
//
// Which checks there are, and running them over a file's callables.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

/// Of capture-safety checks: lists of globs, as Globs.h reads them.
struct CheckOptions {
  std::string Checks;  // after "*"
  std::string WarningsAsErrors;
  bool IsJoined = false;  // what depends on other sources is left to --join
};

/// What the globs choose from.
std::vector<llvm::StringRef> checkNames();

struct CheckLevel {
  llvm::StringRef Name;
  bool IsError;  // where every call comes to the place; else its findings are warnings
};

/// Those that the globs choose, in the order of their names.
std::vector<CheckLevel> chosenChecks(const CheckOptions& Options);

/// Runs all checks over all callables. Returns those whose annotations match their declarations, whatever their bodies do.
std::vector<scan::ScannedCallable> runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies,
                                             const CheckOptions& Options, scan::Reporter& Report);

/// Those of bodies alone.
void runCaptureChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies, const CheckOptions& Options,
                      scan::Reporter& Report);

}  // namespace graphgen::check
