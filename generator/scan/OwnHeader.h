// SPDX-License-Identifier: Apache-2.0
//
// The generated header of the file that is scanned, where the file, or a header that it includes, includes it.
#pragma once

#include "scan/Reporter.h"
#include "scan/Scan.h"

#include "clang/Basic/SourceLocation.h"
#include "clang/Lex/PPCallbacks.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace clang {
class SourceManager;
}

namespace graphgen::scan {

/// Fills `Where`, which must outlive the preprocessor, with the first inclusion.
std::unique_ptr<clang::PPCallbacks> findOwnHeader(const clang::SourceManager& Sources, bool IsHeader, clang::SourceLocation& Where);

/// Complains where `Inclusion`, if there is one, comes before the declaration of a callable.
void refuseEarlyInclusion(const clang::SourceManager& Sources, clang::SourceLocation Inclusion, llvm::ArrayRef<ScannedCallable> Callables,
                          Reporter& Report);

}  // namespace graphgen::scan
