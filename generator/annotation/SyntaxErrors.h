// SPDX-License-Identifier: Apache-2.0
//
// The syntax errors of one annotation, as lexer and parser find them.
#pragma once

#include "annotation/Diagnostic.h"

#include "llvm/ADT/Twine.h"

#include <vector>

namespace graphgen::annotation {

class SyntaxErrors {
 public:
  void add(TextRange Range, const llvm::Twine& Message, std::vector<FixIt> FixIts = {});

  bool empty() const { return Found.empty(); }

  /// In the order of the text; past a fixed number, one last error says how many were left out.
  std::vector<Diagnostic> take();

 private:
  std::vector<Diagnostic> Found;
  size_t LeftOut = 0;
};

}  // namespace graphgen::annotation
