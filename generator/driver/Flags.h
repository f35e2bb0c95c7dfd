// SPDX-License-Identifier: Apache-2.0
//
// A compiler's command line, changed for a scan.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace graphgen::driver {

/// Of `CommandLine`, without its program: the flags that say how the source is read. Inputs, outputs, dependency files, warnings,
/// precompiled headers and what only another compiler knows are left out.
std::vector<std::string> scanFlags(llvm::ArrayRef<std::string> CommandLine);

/// Of `CommandLine`, with its program and what comes before that: the target that a cross compiler has in its name, aarch64-linux-gnu-g++.
std::vector<std::string> targetFlags(llvm::ArrayRef<std::string> CommandLine);

}  // namespace graphgen::driver
