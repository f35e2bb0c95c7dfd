// SPDX-License-Identifier: Apache-2.0
//
// Hostile text: an error, in bounded time and stack, and never a crash.
#include "MarkedText.h"

#include <iterator>
#include <random>

namespace graphgen::annotation {
namespace {

using namespace std::string_literals;

/// Expects the first error at the place, every error within the text, and no tree.
void expectFirstError(const std::string& Text, unsigned Begin, const std::string& Message) {
  const ParseResult Result = parse(Text);
  EXPECT_FALSE(Result.Tree.has_value());
  ASSERT_FALSE(Result.Errors.empty());
  EXPECT_EQ(Result.Errors[0].Range.Begin, Begin);
  EXPECT_EQ(Result.Errors[0].Message, Message);
  EXPECT_LE(Result.Errors.size(), 21U);
}

TEST(HostileText, WithQuotesNewlinesAndCommentEndsIsAnError) {
  expectFirstError("x: f32[\"2]", 7, "unterminated string literal");
  expectFirstError("x\": f32[2]", 1, "unterminated string literal");
  expectFirstError("x\n: f32[2]\n'", 11, "unterminated character literal");
  expectFirstError("x: f32[2] */ int evil; /*", 11, "expected an integer, a name or '(' after '*', got '/'");
  expectFirstError("x: f32[2] // y", 10, "expected ',' or ';' after the argument 'x', got '/'");
  expectFirstError("x: f32[2]\\\n", 9, "unexpected character '\\'");
  expectFirstError("R\"(x: f32[2])\"", 1, "unexpected string literal");
  expectFirstError("pool: key; pool = ../../etc", 18, "unexpected character '.'");
}

TEST(HostileText, WithNulAndOtherControlBytesIsAnError) {
  expectFirstError("\0"s, 0, "unexpected byte 0x00");
  expectFirstError("x: f32[2\0]"s, 8, "unexpected byte 0x00");
  expectFirstError("x: f32[2]\0"s, 9, "unexpected byte 0x00");
  expectFirstError("x: f32[2]\x1b[0m", 9, "unexpected byte 0x1b");
}

TEST(HostileText, WithBytesOutsideOfAsciiIsAnError) {
  expectFirstError("\xef\xbb\xbfx: key", 0, "unexpected bytes 0xef 0xbb 0xbf");
  expectFirstError(
      "gr\xc3\xb6\xc3\x9f"
      "e: f32[2]",
      2, "unexpected bytes 0xc3 0xb6 0xc3 0x9f");
  expectFirstError("x: f32[2\xc2\xa0]", 8, "unexpected bytes 0xc2 0xa0");
  expectFirstError("x: f32[\xff]", 7, "unexpected byte 0xff");
}

TEST(HostileText, WithUnbalancedBracketsIsAnError) {
  expectFirstError("[", 0, "expected an argument's name, got '['");
  expectFirstError("]", 0, "expected an argument's name, got ']'");
  expectFirstError("x: {f32[2]", 10, "expected '}' to close the aggregate, got the end of the annotation");
  expectFirstError("x: f32[(2]", 9, "expected ')' to close the parentheses, got ']'");
  expectFirstError("x: f32[2)]", 8, "expected ']' to close the dimensions, got ')'");
  expectFirstError("x: {f32[2}]", 9, "expected ']' to close the dimensions, got '}'");
}

TEST(HostileText, ThatNestsDeeplyIsAnError) {
  const size_t Many = 60000;
  expectFirstError("x: f32[" + std::string(Many, '('), 7 + 64, "nesting deeper than 64 levels");
  expectFirstError("x: " + std::string(Many, '{'), 3 + 64, "nesting deeper than 64 levels");
  expectFirstError("x: " + std::string(Many, '['), 3, "expected a dtype, '{', key, const, live, module, object, out or ignore, got '['");
  expectFirstError("; slots = " + std::string(Many, '('), 10 + 64, "nesting deeper than 64 levels");
  expectFirstError("; B in {" + std::string(Many, '('), 8 + 64, "nesting deeper than 64 levels");
  expectFirstError("x: f32[2] * " + std::string(Many, '('), 12 + 64, "nesting deeper than 64 levels");
  expectFirstError("x: f32[" + std::string(Many, '-') + "1]", 7 + 64, "more than 64 operators in one expression");
  for (const char* Bracket : {"(", "[", "{"}) {
    std::string Text = "x: f32[";
    for (int I = 0; I < 100000; ++I) {
      Text += Bracket;
    }
    expectFirstError(Text, MaxTextLength, "the annotation has 100007 bytes, more than 65536");
  }
}

TEST(HostileText, MayNestParenthesesSixtyFourDeep) {
  const auto Nested = [](size_t Depth) { return "x: f32[" + std::string(Depth, '(') + "2" + std::string(Depth, ')') + "]"; };
  parsed(Nested(64));
  expectFirstError(Nested(65), 7 + 64, "nesting deeper than 64 levels");
}

TEST(HostileText, MayHaveSixtyFourOperatorsInOneExpression) {
  const auto Sum = [](int Operators) {
    std::string Text = "x: f32[1";
    for (int I = 0; I < Operators; ++I) {
      Text += "+1";
    }
    return Text + ", 1+1]";
  };
  parsed(Sum(64));
  expectFirstError(Sum(65), 8 + 2 * 64, "more than 64 operators in one expression");
}

TEST(HostileText, OfMegabytesIsAnError) {
  const size_t Size = 4 * 1024 * 1024;
  for (char C : {'x', ' ', '(', '{', ',', ';', '$', '"', '\'', '1', '\0', '\xff', '\n'}) {
    expectFirstError(std::string(Size, C), MaxTextLength, "the annotation has 4194304 bytes, more than 65536");
  }
}

TEST(HostileText, MayHaveTheGreatestLengthAndNotOneByteMore) {
  const std::string Start = "x: f32[2]";
  parsed(Start + std::string(MaxTextLength - Start.size(), ' '));
  expectFirstError(Start + std::string(MaxTextLength - Start.size() + 1, ' '), MaxTextLength,
                   "the annotation has 65537 bytes, more than 65536");
}

TEST(HostileText, HasItsLongTokensCutInMessages) {
  const std::string Long(60000, 'a');
  expectFirstError("x: " + Long + "[2]", 3,
                   "unknown dtype '" + std::string(40, 'a') +
                       "...'; expected f64, f32, f16, bf16, f8e4m3, f8e5m2, c64, c128, i64, i32, i16, i8, u8 or bool");
  for (const std::string& Text :
       {Long, Long + ": key <", "x: key " + Long, "; " + Long, "x: f32[2 " + Long, "x: f32[1" + Long, "; pool " + Long,
        Long + ": key, " + Long + ": key", "; " + Long + " in {", "x: {" + Long + ": key}, y: key 5", Long + ": key 5"}) {
    for (const Diagnostic& Error : parse(Text).Errors) {
      EXPECT_LT(Error.Message.size(), 250U) << Text.substr(0, 20);
    }
  }
}

TEST(HostileText, OfRandomTokensKeepsEveryErrorWithinTheText) {
  const char* const Pieces[] = {"x",  "f32", "grad", "key", "in", "pad", "warmup", "outputs", "strict", "keep", "12",
                                "0x", "1.5", ":",    "::",  ",",  ";",   "=",      "[",       "]",      "{",    "}",
                                "(",  ")",   "+",    "-",   "*",  "/",   "%",      "\"",      "\xc3",   "\n"};
  std::mt19937 Random(20260314);
  for (int Round = 0; Round < 20000; ++Round) {
    std::string Text;
    for (auto Left = Random() % 30; Left > 0; --Left) {
      Text += Pieces[Random() % std::size(Pieces)];
      Text += Random() % 3 == 0 ? " " : "";
    }
    const ParseResult Result = parse(Text);
    ASSERT_EQ(Result.Tree.has_value(), Result.Errors.empty()) << Text;
    unsigned Last = 0;
    for (const Diagnostic& Error : Result.Errors) {
      ASSERT_LE(Last, Error.Range.Begin) << Text;
      ASSERT_LE(Error.Range.Begin, Error.Range.End) << Text;
      ASSERT_LE(Error.Range.End, Text.size()) << Text;
      Last = Error.Range.Begin;
    }
  }
}

TEST(HostileText, OfRandomBytesNeverCrashes) {
  std::mt19937 Random(7);
  for (int Round = 0; Round < 5000; ++Round) {
    std::string Text(Random() % 200, ' ');
    for (char& C : Text) {
      C = static_cast<char>(Random() % 256);
    }
    const ParseResult Result = parse(Text);
    ASSERT_EQ(Result.Tree.has_value(), Result.Errors.empty());
  }
}

}  // namespace
}  // namespace graphgen::annotation
