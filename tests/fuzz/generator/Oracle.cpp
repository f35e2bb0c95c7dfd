// SPDX-License-Identifier: Apache-2.0
//
// Clang's lexer without a preprocessor reads what a compiler would.
#include "Oracle.h"

#include "Program.h"
#include "plan/Manifest.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <vector>

namespace graphgen::fuzz {
namespace {

namespace tok = clang::tok;

constexpr llvm::StringLiteral OwnDirectives[] = {"#pragma once",
                                                 "#include <graphed/callable.h>",
                                                 "#include <graphed/impl/engine.h>",
                                                 "#include <graphed/impl/object.h>",
                                                 "#include <graphed/version.h>",
                                                 "#include <graphed/impl/glue.h>",
                                                 "#include <limits>",
                                                 "#include <utility>",
                                                 "#if defined(__GNUC__) && !defined(__clang__)",
                                                 "#pragma GCC diagnostic push",
                                                 "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"",
                                                 "#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"",
                                                 "#pragma GCC diagnostic ignored \"-Wsubobject-linkage\"",
                                                 "#pragma GCC diagnostic pop",
                                                 "#endif"};

/// Left-to-right and right-to-left marks, embeddings, overrides and isolates.
constexpr llvm::StringLiteral Bidirectional[] = {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
                                                 "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};

bool isOwnDirective(llvm::StringRef Line, llvm::StringRef Input) {
  const std::string Header = (llvm::sys::path::stem(Input) + ".graphed.h").str();
  return llvm::is_contained(OwnDirectives, Line) || Line == ("#include \"" + Input + "\"").str() || Line == "#include \"" + Header + "\"";
}

/// `/*warmup=*/`
bool isOwnComment(llvm::StringRef Comment) {
  return Comment.consume_front("/*") && Comment.consume_back("=*/") &&
         llvm::all_of(Comment, [](char C) { return llvm::isAlpha(C) || C == '_'; });
}

class CodeReader {
 public:
  CodeReader(llvm::StringRef Text, llvm::StringRef Input, bool HasTrigraphs) : Text(Text.str()), Input(Input.str()) {
    Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus14 = Language.CPlusPlus17 = true;
    Language.LineComment = Language.Bool = Language.Digraphs = true;
    Language.Trigraphs = HasTrigraphs;
  }

  std::string violation() {
    clang::Lexer Lexer(clang::SourceLocation(), Language, Text.data(), Text.data(), Text.data() + Text.size());
    Lexer.SetCommentRetentionState(true);
    clang::Token Token;
    for (Lexer.LexFromRawLexer(Token); !Token.is(tok::eof); Lexer.LexFromRawLexer(Token)) {
      const auto End = static_cast<size_t>(Lexer.getBufferLocation() - Text.data());
      const llvm::StringRef Spelling = llvm::StringRef(Text).slice(End - Token.getLength(), End);
      if (std::string Found = violationIn(Token, Spelling); !Found.empty()) {
        return Found + ": " + Spelling.str();
      }
    }
    return Open.empty() ? "" : "every bracket is closed";
  }

 private:
  std::string violationIn(const clang::Token& Token, llvm::StringRef Spelling) {
    if (Token.is(tok::unknown)) {
      return "every token is one of C++";
    }
    if (Token.is(tok::ellipsis)) {
      return "nothing is elided";
    }
    if (Token.is(tok::raw_identifier) && Spelling == Marker) {
      return "text is no code";
    }
    if (Token.is(tok::comment)) {
      return Spelling.starts_with("//") ? (Spelling.find_first_of("\n\r") == llvm::StringRef::npos ? "" : "a comment ends with its line")
                                        : (isOwnComment(Spelling) ? "" : "no comment within a line has text of the user's");
    }
    if (tok::isStringLiteral(Token.getKind()) &&
        (Token.isNot(tok::string_literal) || Spelling.contains('\n') || Spelling.starts_with("R"))) {
      return "a string is an ordinary one of one line";
    }
    if (Token.is(tok::hash) && Token.isAtStartOfLine()) {
      const llvm::StringRef Line = llvm::StringRef(Spelling.data()).split('\n').first;
      return isOwnDirective(Line, Input) ? "" : "directives are graphgen's own";
    }
    return isBalanced(Token.getKind()) ? "" : "every bracket is closed";
  }

  bool isBalanced(tok::TokenKind Kind) {
    constexpr std::pair<tok::TokenKind, tok::TokenKind> Pairs[] = {
        {tok::l_paren, tok::r_paren}, {tok::l_square, tok::r_square}, {tok::l_brace, tok::r_brace}};
    for (const auto& [Begin, End] : Pairs) {
      if (Kind == Begin) {
        Open.push_back(End);
      } else if (Kind == End) {
        const bool Fits = !Open.empty() && Open.back() == End;
        Open.resize(Open.size() - (Open.empty() ? 0 : 1));
        return Fits;
      }
    }
    return true;
  }

  clang::LangOptions Language;
  std::string Text;
  std::string Input;
  std::vector<tok::TokenKind> Open;  // the ends of what is open
};

}  // namespace

std::string violationInCode(llvm::StringRef Text, llvm::StringRef Input) {
  if (std::string Found = violationInText(Text); !Found.empty()) {
    return Found;
  }
  for (const bool HasTrigraphs : {false, true}) {
    if (std::string Found = CodeReader(Text, Input, HasTrigraphs).violation(); !Found.empty()) {
      return Found + (HasTrigraphs ? " (with trigraphs)" : "");
    }
  }
  return {};
}

std::string violationInManifest(llvm::StringRef Text) {
  llvm::Expected<plan::Manifest> Read = plan::readManifest(Text);
  return Read ? violationInText(Text) : "a manifest can be read: " + toString(Read.takeError());
}

std::string violationInJson(llvm::StringRef Text) {
  llvm::Expected<llvm::json::Value> Read = llvm::json::parse(Text);
  return Read ? "" : "a document is JSON: " + toString(Read.takeError());
}

std::string violationInText(llvm::StringRef Text) {
  if (!llvm::json::isUTF8(Text)) {
    return "text is UTF-8";
  }
  if (llvm::any_of(Text, [](char C) { return (static_cast<unsigned char>(C) < 0x20 && C != '\n') || C == 0x7f; })) {
    return "text has no control characters";
  }
  const bool IsTurned = llvm::any_of(Bidirectional, [&](llvm::StringRef Each) { return Text.contains(Each); });
  return IsTurned ? "text is read in the order of its bytes" : "";
}

std::string violationInDepfile(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  const bool IsOneRule =
      Lines.size() >= 2 && Lines.back().empty() &&
      llvm::all_of(llvm::ArrayRef(Lines).drop_front().drop_back(), [](llvm::StringRef Line) { return Line.starts_with("  /"); }) &&
      !Text.contains(';') && !Text.contains("!=");
  return IsOneRule ? "" : "a depfile is one rule";
}

}  // namespace graphgen::fuzz
