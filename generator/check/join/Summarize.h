// SPDX-License-Identifier: Apache-2.0
//
// What a file says to other files: its functions, checked as callables that nothing annotates, and the calls that lead out of it.
#pragma once

#include "check/join/Summary.h"
#include "scan/Scan.h"

#include <optional>
#include <string>
#include <vector>

namespace graphgen::check::join {

/// Of the callables those with a body here. `Version` and `Source` are left empty.
Summary summarize(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies);

/// Of each callable the functions that it comes to and whose bodies are not known here, by their names. Those that it calls itself come
/// first. Nothing where the file has no body of it.
std::vector<std::optional<std::vector<std::string>>> namesElsewhere(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                                    const scan::Bodies& Bodies);

}  // namespace graphgen::check::join
