// SPDX-License-Identifier: Apache-2.0
//
// The annotation's text as tokens. Every byte that no token can have is an error at its place.
#pragma once

#include "annotation/Syntax.h"
#include "annotation/SyntaxErrors.h"

#include "llvm/ADT/StringRef.h"

namespace graphgen::annotation {

enum class TokenKind {
  End,
  Invalid,  // reported already
  Identifier,
  Integer,
  Colon,
  ColonColon,
  Comma,
  Semicolon,
  Equal,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  LeftParen,
  RightParen,
  Plus,
  Minus,
  Star,
  Slash,
  Percent
};

struct Token {
  TokenKind Kind = TokenKind::End;
  TextRange Range;
  llvm::StringRef Text;
  int64_t Value = 0;  // Integer
};

/// "']'", "the end of the annotation": a token for messages, long ones cut.
std::string describe(const Token& T);

/// "']'": a kind of punctuation for messages.
std::string describe(TokenKind Kind);

/// Text and Errors must outlive the lexer and its tokens. Text has less than 4 GiB.
class Lexer {
 public:
  Lexer(llvm::StringRef Text, SyntaxErrors& Errors) : Text(Text), Errors(Errors) {}

  /// The next token; at the end, End again and again.
  Token next();

 private:
  Token take(TokenKind Kind, size_t Length);
  Token fail(size_t Length, TextRange Where, const llvm::Twine& Message);
  Token identifier();
  Token number();
  Token literal();
  Token unexpected();

  llvm::StringRef Text;
  SyntaxErrors& Errors;
  size_t Position = 0;
};

}  // namespace graphgen::annotation
