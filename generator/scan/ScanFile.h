// SPDX-License-Identifier: Apache-2.0
//
// Scans one file: with LibTorch's headers precompiled where that makes no difference, else without.
#pragma once

#include "report/Message.h"
#include "scan/Precompile.h"
#include "scan/Scan.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace graphgen::scan {

/// Where precompiled headers come from.
class PrecompiledHeaders {
 public:
  virtual ~PrecompiledHeaders() = default;

  /// The header `Root`, as it is on the disk now, with these flags: one that is kept, or one made again, which sets `IsNew`. Null where
  /// there is none, and `Why` shows the reason.
  virtual const PrecompiledHeader* find(const FrontEnd& Compiler, llvm::StringRef Root, bool& IsNew, std::string& Why) = 0;
};

struct ScanRequest {
  std::vector<std::string> CommandLine;  // of clang's driver: its name, flags, the file
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files;
  PrecompiledHeaders* Headers = nullptr;  // null: scanned without them
  bool Prints = true;                     // diagnostics as text, to standard error
  std::set<std::string> Explained = {};   // ids whose pages were named in the run
  bool DefinitionsOnly = false;           // of callables that headers annotate those that the file defines, instead of the file's own
  std::string WhyNoFlags = {};            // said of the first file that is not found; may be empty
};

/// Wall time.
struct ScanTimes {
  using Duration = std::chrono::duration<double>;

  Duration Preamble{0};     // reading what comes before LibTorch's headers
  Duration Header{0};       // finding the precompiled header, or making it
  Duration Precompiled{0};  // the pass with it
  Duration Plain{0};        // the pass without
  bool HeaderIsNew = false;
  std::string WhyPlain;  // in words; empty where there was no pass without one
};

struct ScanOutcome {
  bool Ok = false;                        // nothing was complained of
  std::vector<std::string> Dependencies;  // every file that was read, as absolute paths; what graphgen generates is left out
  ScanTimes Times;
  report::Report Told;
};

/// Calls `Handle` at the end of the file unless there was a complaint before. It calls it once more where the first pass turns out not to
/// count, and then nothing of that is reported.
ScanOutcome scanFile(const ScanRequest& Request, const Handler& Handle);

}  // namespace graphgen::scan
