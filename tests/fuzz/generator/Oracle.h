// SPDX-License-Identifier: Apache-2.0
//
// What must hold of everything that is generated, whatever the declaration is.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::fuzz {

/// Each gives the property that does not hold, or nothing.

/// Of generated C++ for the input file `Input`, with and without trigraphs. Every token is one of C++, brackets are closed, and comments
/// end with their line or are graphgen's own. Directives are graphgen's own, and the marker is not an identifier.
std::string violationInCode(llvm::StringRef Text, llvm::StringRef Input);

/// Of a manifest: --compare reads it.
std::string violationInManifest(llvm::StringRef Text);

/// Of a document on standard output.
std::string violationInJson(llvm::StringRef Text);

/// Of any text: UTF-8, without what steers a terminal or changes the direction of the text.
std::string violationInText(llvm::StringRef Text);

/// Of a depfile: one rule, without a recipe.
std::string violationInDepfile(llvm::StringRef Text);

}  // namespace graphgen::fuzz
