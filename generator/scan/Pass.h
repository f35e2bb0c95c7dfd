// SPDX-License-Identifier: Apache-2.0
//
// One run of the compiler's front end over one file.
#pragma once

#include "report/Message.h"
#include "scan/Scan.h"

#include "llvm/Support/raw_ostream.h"

#include <set>
#include <string>
#include <vector>

namespace clang {
class DiagnosticOptions;
}

namespace graphgen::scan {

class FrontEnd;
struct PrecompiledHeader;

struct PassRequest {
  const Handler& Handle;
  clang::DiagnosticOptions& Options;
  llvm::raw_ostream* Diagnostics;  // as text; may be null
  bool DefinitionsOnly;
  const std::set<std::string>& Explained;  // ids whose pages were named
  const std::string& WhyNoFlags;           // as ScanRequest has it
};

struct PassResult {
  bool Ok = false;                 // nothing was complained of
  bool IsPlainPassNeeded = false;  // of one with a precompiled header: a pass without may say something else
  std::vector<std::string> Read;   // absolute; what graphgen generates is left out
  report::Report Told;
};

/// `Header` is null in a pass without a precompiled header.
PassResult runPass(const FrontEnd& Compiler, const PassRequest& Request, const PrecompiledHeader* Header);

}  // namespace graphgen::scan
