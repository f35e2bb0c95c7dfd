// SPDX-License-Identifier: Apache-2.0
//
// Looks ahead by one token and counts the brackets that are open, for the way back after an error.
#include "annotation/TokenStream.h"

namespace graphgen::annotation {
namespace {

bool isOpening(TokenKind Kind) { return Kind == TokenKind::LeftBracket || Kind == TokenKind::LeftBrace || Kind == TokenKind::LeftParen; }
bool isClosing(TokenKind Kind) { return Kind == TokenKind::RightBracket || Kind == TokenKind::RightBrace || Kind == TokenKind::RightParen; }

}  // namespace

TokenStream::TokenStream(llvm::StringRef Text, SyntaxErrors& Errors) : Errors(Errors), Source(Text, Errors) {
  Current = Source.next();
  Following = Source.next();
}

Token TokenStream::advance() {
  if (isOpening(Current.Kind)) {
    ++OpenBrackets;
  }
  if (isClosing(Current.Kind) && OpenBrackets > 0) {
    --OpenBrackets;
  }
  const Token Taken = Current;
  Previous = Taken.Range;
  Current = Following;
  Following = Source.next();
  return Taken;
}

bool TokenStream::accept(TokenKind Kind) {
  if (!at(Kind)) {
    return false;
  }
  advance();
  return true;
}

bool TokenStream::expect(TokenKind Kind, const llvm::Twine& Purpose) {
  if (accept(Kind)) {
    return true;
  }
  unexpected(describe(Kind) + " " + Purpose);
  return false;
}

void TokenStream::unexpected(const llvm::Twine& What, std::vector<FixIt> FixIts) {
  if (!at(TokenKind::Invalid)) {
    Errors.add(Current.Range, "expected " + What + ", got " + describe(Current), std::move(FixIts));
  }
}

void TokenStream::skipToSeparator() {
  while (!at(TokenKind::End) && !at(TokenKind::Semicolon) && !(at(TokenKind::Comma) && OpenBrackets == 0)) {
    advance();
  }
  OpenBrackets = 0;
}

}  // namespace graphgen::annotation
