// SPDX-License-Identifier: Apache-2.0
//
// What the text of a source tells without being compiled: whether a look at it is worth a scan.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace graphgen::scan {

/// "forward" of "app::Net<3>::forward"; "operator" of a class's operator().
llvm::StringRef unqualifiedName(llvm::StringRef Name);

/// Whether a function of one of these unqualified names seems to have a body in the source: `name(...) ... {`. It may be another function
/// of that name, but none is missed that is not spelled by a macro.
bool mayDefine(llvm::StringRef Text, const llvm::StringSet<>& Names);

/// What `#include "..."` names in a text such as CMake writes for a unity build: paths that end as sources do.
std::vector<std::string> includedSources(llvm::StringRef Text);

}  // namespace graphgen::scan
