// SPDX-License-Identifier: Apache-2.0
//
// The text of each GRAPHED(...) and GRAPHED_FOR(&f, ...), as the preprocessor stringizes it and with what Clang's lexer drops, with the
// place in the file of each of its bytes.
#pragma once

#include "annotation/Syntax.h"

#include "clang/Basic/SourceLocation.h"
#include "clang/Lex/PPCallbacks.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace graphgen::scan {

class MacroText {
 public:
  /// `Macro` is from the macro's name to its closing parenthesis.
  MacroText(clang::SourceRange Macro, bool NamesFunction) : Macro(Macro), NamesFunction(NamesFunction) {}

  void append(llvm::StringRef Spelling, bool SpaceBefore, clang::SourceLocation Location);

  llvm::StringRef text() const { return Text; }
  clang::SourceLocation location() const { return Macro.getBegin(); }
  clang::SourceLocation end() const { return Macro.getEnd(); }  // its closing parenthesis
  clang::CharSourceRange range(annotation::TextRange Range) const;
  /// Of GRAPHED_FOR, whose first argument is not a part of the text.
  bool namesFunction() const { return NamesFunction; }

 private:
  struct Piece {
    unsigned Begin;
    clang::SourceLocation Location;
  };

  clang::SourceLocation byte(unsigned Offset) const;
  clang::SourceLocation insertion(unsigned Offset) const;

  clang::SourceRange Macro;
  bool NamesFunction;
  std::string Text;
  std::vector<Piece> Pieces;
};

/// By the location of the word GRAPHED or GRAPHED_FOR.
using MacroTexts = std::map<clang::SourceLocation, MacroText>;

/// Fills `Texts`, which must outlive the preprocessor, as it meets the macro.
std::unique_ptr<clang::PPCallbacks> recordMacroTexts(clang::Preprocessor& PP, MacroTexts& Texts);

}  // namespace graphgen::scan
