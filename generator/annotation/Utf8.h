// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace graphgen {

/// Bytes that are not UTF-8 become U+FFFD, as JSON needs it.
inline std::string utf8(llvm::StringRef Bytes) { return llvm::json::isUTF8(Bytes) ? Bytes.str() : llvm::json::fixUTF8(Bytes); }

}  // namespace graphgen
