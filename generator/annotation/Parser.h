// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED's text to a tree, or to syntax errors at their exact places. docs/reference/annotations.md has the grammar.
#pragma once

#include "annotation/Diagnostic.h"

#include "llvm/ADT/StringRef.h"

namespace graphgen::annotation {

/// How many bytes an annotation's text may have.
constexpr size_t MaxTextLength = 65536;

struct ParseResult {
  std::optional<Annotation> Tree;  // exactly when there are no errors
  std::vector<Diagnostic> Errors;  // "graphed-syntax", in the order of the text
};

/// Any bytes are allowed; all errors that can be distinguished come in one pass.
ParseResult parse(llvm::StringRef Text);

}  // namespace graphgen::annotation
