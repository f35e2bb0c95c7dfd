// SPDX-License-Identifier: Apache-2.0
//
// A hand-written lexer over bytes: ASCII only, any length, NUL included.
#include "annotation/Lexer.h"

#include "annotation/IntegerLiteral.h"
#include "annotation/Words.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace graphgen::annotation {
namespace {

constexpr llvm::StringLiteral Whitespace = " \t\n\v\f\r";

bool isIdentifierStart(char C) { return llvm::isAlpha(C) || C == '_'; }
bool isIdentifierPart(char C) { return llvm::isAlnum(C) || C == '_'; }
bool isNumberPart(char C) { return isIdentifierPart(C) || C == '.' || C == '\''; }
bool isAsciiByte(char C) { return static_cast<unsigned char>(C) < 0x80; }

TextRange rangeAt(size_t Begin, size_t Length) { return {static_cast<unsigned>(Begin), static_cast<unsigned>(Begin + Length)}; }

TokenKind punctuation(char C) {
  switch (C) {
    case ':':
      return TokenKind::Colon;
    case ',':
      return TokenKind::Comma;
    case ';':
      return TokenKind::Semicolon;
    case '=':
      return TokenKind::Equal;
    case '[':
      return TokenKind::LeftBracket;
    case ']':
      return TokenKind::RightBracket;
    case '{':
      return TokenKind::LeftBrace;
    case '}':
      return TokenKind::RightBrace;
    case '(':
      return TokenKind::LeftParen;
    case ')':
      return TokenKind::RightParen;
    case '+':
      return TokenKind::Plus;
    case '-':
      return TokenKind::Minus;
    case '*':
      return TokenKind::Star;
    case '/':
      return TokenKind::Slash;
    case '%':
      return TokenKind::Percent;
    default:
      return TokenKind::Invalid;
  }
}

std::string hexByte(char C) { return "0x" + llvm::utohexstr(static_cast<unsigned char>(C), /*LowerCase=*/true, /*Width=*/2); }

std::string describeBytes(llvm::StringRef Bytes) {
  constexpr size_t MostShown = 4;
  std::string Result = Bytes.size() == 1 ? "byte" : "bytes";
  for (char C : Bytes.take_front(MostShown)) {
    Result += " " + hexByte(C);
  }
  return Bytes.size() > MostShown ? Result + " ..." : Result;
}

/// The length of the string or character literal that Text begins with; 0 when a newline or the text's end comes before its end.
size_t closedLiteralLength(llvm::StringRef Text) {
  for (size_t At = 1; At < Text.size() && Text[At] != '\n'; ++At) {
    if (Text[At] == Text[0]) {
      return At + 1;
    }
    if (Text[At] == '\\') {
      ++At;
    }
  }
  return 0;
}

}  // namespace

std::string describe(const Token& T) { return T.Kind == TokenKind::End ? "the end of the annotation" : quoted(T.Text); }

std::string describe(TokenKind Kind) {
  for (char C : llvm::StringRef(":,;=[]{}()+-*/%")) {
    if (punctuation(C) == Kind) {
      return std::string("'") + C + "'";
    }
  }
  return Kind == TokenKind::ColonColon ? "'::'" : "a word";
}

Token Lexer::next() {
  Position = std::min(Text.find_first_not_of(Whitespace, Position), Text.size());
  const llvm::StringRef Rest = Text.substr(Position);
  if (Rest.empty()) {
    return take(TokenKind::End, 0);
  }
  if (isIdentifierStart(Rest[0])) {
    return identifier();
  }
  if (llvm::isDigit(Rest[0])) {
    return number();
  }
  if (Rest[0] == '"' || Rest[0] == '\'') {
    return literal();
  }
  if (Rest.starts_with("::")) {
    return take(TokenKind::ColonColon, 2);
  }
  const TokenKind Kind = punctuation(Rest[0]);
  return Kind == TokenKind::Invalid ? unexpected() : take(Kind, 1);
}

Token Lexer::take(TokenKind Kind, size_t Length) {
  const Token Result{Kind, rangeAt(Position, Length), Text.substr(Position, Length), 0};
  Position += Length;
  return Result;
}

Token Lexer::fail(size_t Length, TextRange Where, const llvm::Twine& Message) {
  Errors.add(Where, Message);
  return take(TokenKind::Invalid, Length);
}

Token Lexer::identifier() { return take(TokenKind::Identifier, Text.substr(Position).take_while(isIdentifierPart).size()); }

Token Lexer::number() {
  const llvm::StringRef Rest = Text.substr(Position);
  const llvm::StringRef Digits = Rest.take_while(isNumberPart);
  const IntegerLiteral Literal = readIntegerLiteral(Digits);
  if (!Literal.Error.empty()) {
    return fail(Digits.size(), rangeAt(Position + Literal.Where.Begin, Literal.Where.End - Literal.Where.Begin), Literal.Error);
  }
  Token Result = take(TokenKind::Integer, Digits.size());
  Result.Value = Literal.Value;
  return Result;
}

Token Lexer::literal() {
  const llvm::StringRef Rest = Text.substr(Position);
  const size_t Closed = closedLiteralLength(Rest);
  const size_t Length = Closed > 0 ? Closed : std::min(Rest.find('\n'), Rest.size());
  const char* Name = Rest[0] == '"' ? "string literal" : "character literal";
  return fail(Length, rangeAt(Position, Length),
              llvm::Twine(Closed > 0 ? "unexpected " : "unterminated ") + Name +
                  (Closed > 0 && Position == 0 ? "; write the annotation without quotes" : ""));
}

Token Lexer::unexpected() {
  const llvm::StringRef Rest = Text.substr(Position);
  if (llvm::isPrint(Rest[0])) {
    return fail(1, rangeAt(Position, 1),
                llvm::Twine("unexpected character '") + Rest.take_front(1) + "'" +
                    (Rest[0] == '?' ? llvm::StringRef(VariableHint) : llvm::StringRef()));
  }
  const size_t Length = isAsciiByte(Rest[0]) ? 1 : Rest.take_until(isAsciiByte).size();
  return fail(Length, rangeAt(Position, Length), "unexpected " + describeBytes(Rest.take_front(Length)));
}

}  // namespace graphgen::annotation
