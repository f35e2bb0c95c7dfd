// SPDX-License-Identifier: Apache-2.0
//
// Whether Clang can read a file.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::scan {

/// Why not, in words: it is not a regular file, may not be opened, is too large, or in another encoding than UTF-8. Empty where it can.
std::string whyUnreadable(llvm::StringRef Path);

}  // namespace graphgen::scan
