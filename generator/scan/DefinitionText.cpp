// SPDX-License-Identifier: Apache-2.0
//
// The tokens as Clang's lexer finds them without a preprocessor, so that comments and strings are none.
#include "scan/DefinitionText.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace graphgen::scan {
namespace {

namespace tok = clang::tok;

std::vector<clang::Token> tokensOf(llvm::StringRef Text) {
  clang::LangOptions Language;
  Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus17 = Language.Digraphs = true;
  clang::Lexer Lexer(clang::SourceLocation(), Language, Text.begin(), Text.begin(), Text.end());
  std::vector<clang::Token> Tokens;
  clang::Token Next;
  do {
    Lexer.LexFromRawLexer(Next);
    Tokens.push_back(Next);
  } while (Next.isNot(tok::eof));
  return Tokens;
}

/// Behind what the bracket at `At` closes.
size_t behind(llvm::ArrayRef<clang::Token> Tokens, size_t At, tok::TokenKind Open, tok::TokenKind Close) {
  unsigned Depth = 0;
  for (; At < Tokens.size(); ++At) {
    Depth += Tokens[At].is(Open);
    Depth -= Tokens[At].is(Close);
    if (Depth == 0) {
      return At + 1;
    }
  }
  return At;
}

/// From behind a parameter list to the body, if one follows.
bool bodyFollows(llvm::ArrayRef<clang::Token> Tokens, size_t At) {
  while (At < Tokens.size() && !Tokens[At].isOneOf(tok::semi, tok::r_paren, tok::r_brace)) {
    if (Tokens[At].is(tok::l_brace)) {
      return true;
    }
    At = Tokens[At].is(tok::l_paren) ? behind(Tokens, At, tok::l_paren, tok::r_paren) : At + 1;
  }
  return false;
}

/// `At` is behind the name: its arguments as a specialization are passed, and the second word of operator().
bool definitionFollows(llvm::ArrayRef<clang::Token> Tokens, size_t At, bool IsOperator) {
  if (IsOperator) {
    At = Tokens[At].is(tok::l_paren) ? behind(Tokens, At, tok::l_paren, tok::r_paren) : Tokens.size();
  }
  if (At < Tokens.size() && Tokens[At].is(tok::less)) {
    while (At < Tokens.size() && !Tokens[At].isOneOf(tok::l_paren, tok::semi, tok::l_brace)) {
      ++At;
    }
  }
  return At < Tokens.size() && Tokens[At].is(tok::l_paren) && bodyFollows(Tokens, behind(Tokens, At, tok::l_paren, tok::r_paren));
}

}  // namespace

llvm::StringRef unqualifiedName(llvm::StringRef Name) {
  constexpr llvm::StringLiteral Operator = "operator";
  if (const size_t At = Name.rfind(Operator); At != llvm::StringRef::npos && Name.drop_front(At + Operator.size()).starts_with("(")) {
    return Operator;
  }
  unsigned Depth = 0;
  size_t End = Name.size();
  for (size_t At = Name.size(); At-- > 0;) {
    Depth += Name[At] == '>';
    if (Name[At] == '<' && --Depth == 0) {
      End = At;
    }
    if (Depth == 0 && Name[At] == ':') {
      return Name.slice(At + 1, End);
    }
  }
  return Name.take_front(End);
}

bool mayDefine(llvm::StringRef Text, const llvm::StringSet<>& Names) {
  const std::vector<clang::Token> Tokens = tokensOf(Text);
  for (size_t At = 0; At + 1 < Tokens.size(); ++At) {
    if (Tokens[At].is(tok::raw_identifier) && Names.contains(Tokens[At].getRawIdentifier()) &&
        definitionFollows(Tokens, At + 1, Tokens[At].getRawIdentifier() == "operator")) {
      return true;
    }
  }
  return false;
}

}  // namespace graphgen::scan
