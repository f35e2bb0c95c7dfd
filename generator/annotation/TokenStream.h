// SPDX-License-Identifier: Apache-2.0
//
// The tokens of an annotation with two in sight, and what every part of the parser does with them: expect, complain, go on after an error.
#pragma once

#include "annotation/Lexer.h"

namespace graphgen::annotation {

/// How deep parentheses or braces may nest.
constexpr unsigned MaxNesting = 64;

class TokenStream {
 public:
  TokenStream(llvm::StringRef Text, SyntaxErrors& Errors);

  const Token& current() const { return Current; }
  const Token& following() const { return Following; }

  bool at(TokenKind Kind) const { return Current.Kind == Kind; }
  bool atWord(llvm::StringRef Word) const { return at(TokenKind::Identifier) && Current.Text == Word; }
  bool atNameAndColon() const { return at(TokenKind::Identifier) && Following.Kind == TokenKind::Colon; }
  /// At a token that ends an argument or an option.
  bool atSeparator() const { return at(TokenKind::Comma) || at(TokenKind::Semicolon) || at(TokenKind::End); }

  Token advance();
  bool accept(TokenKind Kind);

  /// Takes a token of the kind, or complains: "expected ']' to close the dimensions, got ';'".
  bool expect(TokenKind Kind, const llvm::Twine& Purpose);

  /// "expected <What>, got <the current token>"; silent where the lexer has complained already.
  void unexpected(const llvm::Twine& What, std::vector<FixIt> FixIts = {});
  void error(TextRange Range, const llvm::Twine& Message, std::vector<FixIt> FixIts = {}) { Errors.add(Range, Message, std::move(FixIts)); }

  /// Goes on to the next ';', the next ',' outside of all brackets, or the end.
  void skipToSeparator();

  /// The place of the token before the current one.
  TextRange previous() const { return Previous; }
  TextRange rangeFrom(unsigned Begin) const { return {Begin, Previous.End}; }

 private:
  SyntaxErrors& Errors;
  Lexer Source;
  Token Current;
  Token Following;
  TextRange Previous;
  size_t OpenBrackets = 0;
};

}  // namespace graphgen::annotation
