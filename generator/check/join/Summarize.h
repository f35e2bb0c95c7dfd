// SPDX-License-Identifier: Apache-2.0
//
// What a file says to other files: its functions, judged as callables that nobody annotates, and the calls that lead out of it.
#pragma once

#include "check/join/Summary.h"
#include "scan/Scan.h"

#include <optional>
#include <string>
#include <vector>

namespace graphgen::check::join {

/// Of the callables those with a body here. `Version` and `Source` are left empty.
Summary summarize(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies);

/// Of each callable the functions that it comes to and that nobody can look into here, by their names, those that it calls itself first;
/// nothing where the file has no body of it.
std::vector<std::optional<std::vector<std::string>>> namesElsewhere(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                                    const scan::Bodies& Bodies);

}  // namespace graphgen::check::join
