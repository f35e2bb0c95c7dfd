// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace graphgen::plan {

/// Bytes that are not UTF-8 become U+FFFD.
inline std::string text(llvm::StringRef Bytes) { return llvm::json::isUTF8(Bytes) ? Bytes.str() : llvm::json::fixUTF8(Bytes); }

}  // namespace graphgen::plan
