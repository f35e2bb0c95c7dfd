// SPDX-License-Identifier: Apache-2.0
//
// Annotations with the places of expected errors marked in the text: "x: <float32>[2]". The language has neither '<' nor '>'.
#pragma once

#include "annotation/Parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace graphgen::annotation {

struct MarkedText {
  std::string Text;
  std::vector<TextRange> Ranges;
};

inline MarkedText unmark(const std::string& Marked) {
  MarkedText Result;
  for (char C : Marked) {
    const auto At = static_cast<unsigned>(Result.Text.size());
    if (C == '<') {
      Result.Ranges.push_back({At, At});
    } else if (C == '>') {
      Result.Ranges.back().End = At;
    } else {
      Result.Text += C;
    }
  }
  return Result;
}

inline void expectDiagnostics(const std::vector<Diagnostic>& Found, const std::string& Id, const std::vector<TextRange>& Ranges,
                              const std::vector<std::string>& Messages) {
  ASSERT_EQ(Ranges.size(), Messages.size()) << "the test marks as many places as it has messages";
  for (size_t I = 0; I < std::min(Found.size(), Messages.size()); ++I) {
    EXPECT_EQ(Found[I].Id, Id);
    EXPECT_EQ(Found[I].Message, Messages[I]);
    EXPECT_EQ(Found[I].Range.Begin, Ranges[I].Begin) << Messages[I];
    EXPECT_EQ(Found[I].Range.End, Ranges[I].End) << Messages[I];
  }
  EXPECT_EQ(Found.size(), Messages.size()) << (Found.size() > Messages.size() ? Found[Messages.size()].Message : "");
}

/// Parses the text without its marks, and expects one syntax error at each mark.
inline void expectErrors(const std::string& Marked, const std::vector<std::string>& Messages) {
  SCOPED_TRACE(Marked);
  const MarkedText Input = unmark(Marked);
  const ParseResult Result = parse(Input.Text);
  EXPECT_FALSE(Result.Tree.has_value());
  expectDiagnostics(Result.Errors, "graphed-syntax", Input.Ranges, Messages);
}

inline void expectError(const std::string& Marked, const std::string& Message) { expectErrors(Marked, {Message}); }

/// Parses a text that is right.
inline Annotation parsed(const std::string& Text) {
  ParseResult Result = parse(Text);
  for (const Diagnostic& Error : Result.Errors) {
    ADD_FAILURE() << Text << ": " << Error.Message;
  }
  return Result.Tree.value_or(Annotation());
}

/// The text as it is after all fix-its; they are expected not to overlap and to come in the order of the text.
inline std::string fixed(const std::string& Text) {
  std::string Result;
  size_t Copied = 0;
  for (const Diagnostic& Error : parse(Text).Errors) {
    for (const FixIt& Fix : Error.FixIts) {
      Result += Text.substr(Copied, Fix.Range.Begin - Copied) + Fix.Replacement;
      Copied = Fix.Range.End;
    }
  }
  return Result + Text.substr(Copied);
}

}  // namespace graphgen::annotation
