// SPDX-License-Identifier: Apache-2.0
//
// Summaries of sources: written by scans, read and joined by a run of its own.
#pragma once

#include "check/join/Summary.h"
#include "driver/Options.h"

namespace graphgen::driver {

/// Of the source, an absolute path. A file that is there already is written again, so that it is never older than the source.
llvm::Error writeSummary(llvm::StringRef Path, llvm::StringRef Source, check::join::Summary Its);

/// --join: returns the program's exit status.
int joinSummaries(const Options& Given);

}  // namespace graphgen::driver
