// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics about files that are not parsed: places by their lines and columns.
#pragma once

#include "report/Message.h"
#include "scan/Reporter.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>
#include <string>

namespace clang {
class SourceManager;
}

namespace graphgen::scan {

/// Where the file has a line and a column; invalid where there is no such file.
clang::SourceLocation locate(clang::SourceManager& Sources, llvm::StringRef Path, unsigned Line, unsigned Column);

/// What `Tell` says, as text on standard error if `Prints`. `Explained`: ids that need no line about their pages any more.
report::Report tellOfFiles(bool Prints, const std::set<std::string>& Explained,
                           llvm::function_ref<void(clang::SourceManager&, Reporter&)> Tell);

}  // namespace graphgen::scan
