// SPDX-License-Identifier: Apache-2.0
//
// The tensors that a callable writes and that outlive its call, and what a graph makes of each write: for `--explain`.
#pragma once

#include "scan/Scan.h"

#include <optional>
#include <vector>

namespace graphgen::check {

/// Those of each callable and of every body that its calls come to, in the order of the text. Each target and way of writing comes once.
/// Nothing where the file has no body of it.
std::vector<std::optional<std::vector<annotation::Write>>> writesInWords(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                                         const scan::Bodies& Bodies);

}  // namespace graphgen::check
