// SPDX-License-Identifier: Apache-2.0
//
// Tokens, their places, and the bytes that no token has.
#include "annotation/Lexer.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace graphgen::annotation {
namespace {

struct Lexed {
  std::vector<Token> Tokens;  // without End
  std::vector<Diagnostic> Errors;
};

Lexed lex(llvm::StringRef Text) {
  Lexed Result;
  SyntaxErrors Errors;
  Lexer Source(Text, Errors);
  for (Token T = Source.next(); T.Kind != TokenKind::End; T = Source.next()) {
    Result.Tokens.push_back(T);
  }
  Result.Errors = Errors.take();
  return Result;
}

TEST(Lexer, KnowsEveryKindOfToken) {
  const std::vector<std::pair<const char*, TokenKind>> Kinds = {
      {"x", TokenKind::Identifier}, {"_x9", TokenKind::Identifier}, {"f32", TokenKind::Identifier}, {"7", TokenKind::Integer},
      {":", TokenKind::Colon},      {"::", TokenKind::ColonColon},  {",", TokenKind::Comma},        {";", TokenKind::Semicolon},
      {"=", TokenKind::Equal},      {"[", TokenKind::LeftBracket},  {"]", TokenKind::RightBracket}, {"{", TokenKind::LeftBrace},
      {"}", TokenKind::RightBrace}, {"(", TokenKind::LeftParen},    {")", TokenKind::RightParen},   {"+", TokenKind::Plus},
      {"-", TokenKind::Minus},      {"*", TokenKind::Star},         {"/", TokenKind::Slash},        {"%", TokenKind::Percent},
  };
  for (const auto& [Text, Kind] : Kinds) {
    SCOPED_TRACE(Text);
    const Lexed Result = lex(Text);
    ASSERT_EQ(Result.Tokens.size(), 1U);
    EXPECT_EQ(Result.Tokens[0].Kind, Kind);
    EXPECT_EQ(Result.Tokens[0].Text, Text);
    EXPECT_TRUE(Result.Errors.empty());
  }
}

TEST(Lexer, GivesThePlacesOfTokensBetweenAnyWhitespace) {
  const Lexed Result = lex(" obs\t:\n  f32[6]\r\n\v\f");
  const std::vector<std::pair<unsigned, unsigned>> Places = {{1, 4}, {5, 6}, {9, 12}, {12, 13}, {13, 14}, {14, 15}};
  ASSERT_EQ(Result.Tokens.size(), Places.size());
  for (size_t I = 0; I < Places.size(); ++I) {
    EXPECT_EQ(Result.Tokens[I].Range.Begin, Places[I].first);
    EXPECT_EQ(Result.Tokens[I].Range.End, Places[I].second);
  }
}

TEST(Lexer, SplitsColonsGreedily) {
  const Lexed Result = lex("a:::b");
  ASSERT_EQ(Result.Tokens.size(), 4U);
  EXPECT_EQ(Result.Tokens[1].Kind, TokenKind::ColonColon);
  EXPECT_EQ(Result.Tokens[2].Kind, TokenKind::Colon);
}

TEST(Lexer, GivesTheEndAgainAndAgain) {
  SyntaxErrors Errors;
  Lexer Source("x ", Errors);
  Source.next();
  for (int I = 0; I < 3; ++I) {
    const Token End = Source.next();
    EXPECT_EQ(End.Kind, TokenKind::End);
    EXPECT_EQ(End.Range.Begin, 2U);
    EXPECT_EQ(End.Range.End, 2U);
  }
}

TEST(Lexer, ComplainsOfEveryByteThatNoTokenHas) {
  const std::string Known = " \t\n\v\f\r:,;=[]{}()+-*/%\"'_";
  for (int Byte = 0; Byte < 256; ++Byte) {
    const char C = static_cast<char>(Byte);
    if (Known.find(C) != std::string::npos || (Byte < 0x80 && isalnum(Byte))) {
      continue;
    }
    SCOPED_TRACE(Byte);
    const std::string Text = std::string("a ") + C + " b";
    const Lexed Result = lex(Text);
    ASSERT_EQ(Result.Errors.size(), 1U);
    EXPECT_EQ(Result.Errors[0].Range.Begin, 2U);
    EXPECT_EQ(Result.Errors[0].Range.End, 3U);
    EXPECT_EQ(Result.Tokens.size(), 3U);
  }
}

struct LexicalError {
  std::string Text;
  unsigned Begin;
  unsigned End;
  const char* Message;
};

TEST(Lexer, NamesTheUnexpected) {
  using namespace std::string_literals;
  const std::vector<LexicalError> Cases = {
      {"a $ b", 2, 3, "unexpected character '$'"},
      {"a<b", 1, 2, "unexpected character '<'"},
      {"a . b", 2, 3, "unexpected character '.'"},
      {"a\0b"s, 1, 2, "unexpected byte 0x00"},
      {"a\x7f", 1, 2, "unexpected byte 0x7f"},
      {"a\xff", 1, 2, "unexpected byte 0xff"},
      {"gr\xc3\xb6\xc3\x9f", 2, 6, "unexpected bytes 0xc3 0xb6 0xc3 0x9f"},
      {"\xe2\x82\xac\xe2\x82\xac", 0, 6, "unexpected bytes 0xe2 0x82 0xac 0xe2 ..."},
      {"x \"a, b\" y", 2, 8, "unexpected string literal"},
      {R"(x "a\"b" y)", 2, 8, "unexpected string literal"},
      {"x 'ab' y", 2, 6, "unexpected character literal"},
      {"x '\"' y", 2, 5, "unexpected character literal"},
      {"x \"abc", 2, 6, "unterminated string literal"},
      {R"(x "abc\")", 2, 8, "unterminated string literal"},
      {R"(x "abc\)", 2, 7, "unterminated string literal"},
      {"x \"ab\ny", 2, 5, "unterminated string literal"},
      {"x '", 2, 3, "unterminated character literal"},
  };
  for (const LexicalError& Case : Cases) {
    SCOPED_TRACE(Case.Text);
    const Lexed Result = lex(Case.Text);
    ASSERT_EQ(Result.Errors.size(), 1U);
    EXPECT_EQ(Result.Errors[0].Id, "graphed-syntax");
    EXPECT_EQ(Result.Errors[0].Message, Case.Message);
    EXPECT_EQ(Result.Errors[0].Range.Begin, Case.Begin);
    EXPECT_EQ(Result.Errors[0].Range.End, Case.End);
  }
}

TEST(Lexer, StopsAtTwentyErrorsAndSaysHowManyWereLeftOut) {
  const Lexed Result = lex(std::string(25, '$'));
  ASSERT_EQ(Result.Errors.size(), 21U);
  EXPECT_EQ(Result.Errors[19].Range.Begin, 19U);
  EXPECT_EQ(Result.Errors[20].Message, "too many errors in one annotation: 5 more left out");
}

}  // namespace
}  // namespace graphgen::annotation
