// SPDX-License-Identifier: Apache-2.0
//
// Which files are headers, and which are sources, by their extensions: those of generator/cmake/GraphgenExtensions.cmake.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::scan {

/// Each with its dot.
llvm::ArrayRef<llvm::StringRef> headerExtensions();
llvm::ArrayRef<llvm::StringRef> sourceExtensions();

bool isHeader(llvm::StringRef File);

}  // namespace graphgen::scan
