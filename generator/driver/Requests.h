// SPDX-License-Identifier: Apache-2.0
//
// What it takes to scan a file: its flags, Clang's own headers, precompiled ones.
#pragma once

#include "driver/CompileCommands.h"
#include "driver/HeaderCache.h"
#include "driver/Input.h"
#include "driver/Options.h"
#include "driver/Tell.h"
#include "scan/ScanFile.h"

namespace graphgen::driver {

class Requests {
 public:
  explicit Requests(const Options& Given);

  /// Before the first request. Fails where Clang's own headers are not found.
  llvm::Error setUp();

  llvm::Expected<scan::ScanRequest> make(const Input& File, const Teller& Tell);

 private:
  const Options& Given;
  CompileCommands Commands;
  HeaderCache Headers;
  std::string ResourceDir;
};

/// On standard error. `Checks` is a part of the scan.
void tellTimes(const Input& File, const scan::ScanTimes& Times, scan::ScanTimes::Duration Checks);

}  // namespace graphgen::driver
