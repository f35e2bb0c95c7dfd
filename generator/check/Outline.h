// SPDX-License-Identifier: Apache-2.0
//
// The operators that a callable's body calls, and which uses the result of which, as far as the source shows it: for `--explain`.
#pragma once

#include "scan/Scan.h"

#include <optional>
#include <vector>

namespace graphgen::check {

/// Of each callable; nothing where the file has no body of it.
std::vector<std::optional<annotation::SourceGraph>> outlinesOf(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies);

}  // namespace graphgen::check
