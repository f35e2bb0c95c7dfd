// SPDX-License-Identifier: Apache-2.0
//
// What the text of a source shows without being compiled: whether a look at it is worth a scan.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace graphgen::scan {

/// "forward" of "app::Net<3>::forward"; "operator" of a class's operator().
llvm::StringRef unqualifiedName(llvm::StringRef Name);

/// Whether a function of one of these unqualified names seems to have a body in the source, whose text ends with a null: `name(...) ... {`.
/// It may be another function of that name, but none is missed that is not spelled by a macro.
bool mayDefine(llvm::StringRef Text, const llvm::StringSet<>& Names);

}  // namespace graphgen::scan
