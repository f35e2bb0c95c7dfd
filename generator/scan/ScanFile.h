// SPDX-License-Identifier: Apache-2.0
//
// One run of the compiler's front end over one file.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace graphgen::scan {

struct ScanRequest {
  std::vector<std::string> CommandLine;  // of clang's driver: its name, flags, the file
  std::string File;                      // how generated code names the file
  bool DefinitionsOnly = false;          // of callables that headers annotate those that the file defines, instead of the file's own
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files;
};

struct ScanOutcome {
  bool Ok = false;                        // nothing was complained of
  std::vector<std::string> Dependencies;  // every file that was read, as absolute paths; what graphgen generates is left out
};

/// Calls `Handle` at the end of the file unless something was complained of before. Diagnostics go to standard error.
ScanOutcome scanFile(const ScanRequest& Request, const Handler& Handle);

}  // namespace graphgen::scan
