// SPDX-License-Identifier: Apache-2.0
//
// A remedy may need a header that its file does not include.
#pragma once

#include "clang/Basic/Diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace graphgen::check {

/// Includes the header of graphed in the file that has the place, beside others of graphed. None where the file names it already.
std::optional<clang::FixItHint> fixThatIncludes(llvm::StringRef Header, clang::SourceLocation Place, const clang::SourceManager& Sources);

}  // namespace graphgen::check
