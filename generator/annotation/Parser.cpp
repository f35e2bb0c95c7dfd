// SPDX-License-Identifier: Apache-2.0
//
// The outermost level of the grammar: arguments, then options. After an error it goes on at the next ',' or ';'.
#include "annotation/Parser.h"

#include "annotation/OptionParser.h"
#include "annotation/SpecParser.h"
#include "annotation/Words.h"

namespace graphgen::annotation {
namespace {

/// Whether the text begins as an argument's value does: `f32`, `key`, `{x: `.
bool beginsValue(llvm::StringRef Rest) {
  SyntaxErrors Ignored;
  Lexer Ahead(Rest, Ignored);
  Token First = Ahead.next();
  while (First.Kind == TokenKind::LeftBrace) {
    First = Ahead.next();
  }
  return First.Kind == TokenKind::Identifier &&
         (dtypeNamed(First.Text) || scalarNamed(First.Text) || Ahead.next().Kind == TokenKind::Colon);
}

class Parser {
 public:
  Parser(llvm::StringRef Text, SyntaxErrors& Errors) : Text(Text), Tokens(Text, Errors) {}

  Annotation parse();

 private:
  void parseArguments();
  bool parseArgument();
  bool parseArgumentName(Field& Argument);
  bool atEqualForColon() const;
  bool parseArgumentEnd();
  void complainOfOptionWithoutSemicolon();

  llvm::StringRef Text;
  TokenStream Tokens;
  Annotation Tree;
  std::set<std::string> Names;
  bool InOptions = false;
};

Annotation Parser::parse() {
  if (!Tokens.at(TokenKind::End) && !Tokens.at(TokenKind::Semicolon)) {
    parseArguments();
  }
  if (!InOptions && Tokens.accept(TokenKind::Semicolon)) {
    InOptions = true;
  }
  if (InOptions) {
    OptionParser(Tokens, Tree).parse(" after ';'");
  }
  return std::move(Tree);
}

void Parser::parseArguments() {
  for (;;) {
    if (OptionParser::begins(Tokens) && !atEqualForColon()) {
      complainOfOptionWithoutSemicolon();
      return;
    }
    if (!parseArgument()) {
      Tokens.skipToSeparator();
    }
    if (Tokens.atNameAndColon()) {
      continue;
    }
    if (!Tokens.accept(TokenKind::Comma)) {
      return;
    }
  }
}

bool Parser::parseArgument() {
  Field Argument;
  if (!parseArgumentName(Argument)) {
    return false;
  }
  std::optional<Spec> Value = SpecParser(Tokens).parse();
  if (!Value) {
    return false;
  }
  Argument.Value = std::move(*Value);
  Tree.Arguments.push_back(std::move(Argument));
  return parseArgumentEnd();
}

bool Parser::parseArgumentName(Field& Argument) {
  if (!Tokens.at(TokenKind::Identifier)) {
    Tokens.unexpected(Tokens.previous().End == 0 ? "an argument's name" : "an argument's name after ','");
    return false;
  }
  const Token Name = Tokens.current();
  if (Tokens.following().Kind == TokenKind::LeftBracket && dtypeNamed(Name.Text)) {
    Tokens.error(Name.Range, "expected an argument's name and ':' before " + describe(Name));
    return false;
  }
  Tokens.advance();
  Argument.Name = Name.Text.str();
  Argument.NameRange = Name.Range;
  if (!Names.insert(Argument.Name).second) {
    Tokens.error(Name.Range, "the argument " + describe(Name) + " is given twice");
  }
  if (Tokens.at(TokenKind::Equal)) {
    Tokens.error(Tokens.current().Range, "expected ':' after the argument's name " + describe(Name) + ", got '='",
                 {{Tokens.current().Range, ":"}});
    Tokens.advance();
    return true;
  }
  return Tokens.expect(TokenKind::Colon, "after the argument's name " + describe(Name));
}

/// At `obs = f32[64]`.
bool Parser::atEqualForColon() const {
  const Token& Sign = Tokens.following();
  return Sign.Kind == TokenKind::Equal && !optionNamed(Tokens.current().Text) && beginsValue(Text.substr(Sign.Range.End));
}

bool Parser::parseArgumentEnd() {
  if (Tokens.atSeparator()) {
    return true;
  }
  if (Tokens.atNameAndColon()) {
    const unsigned Before = Tokens.previous().End;
    Tokens.error(Tokens.current().Range, "expected ',' before the argument " + describe(Tokens.current()), {{{Before, Before}, ","}});
    return true;
  }
  Tokens.unexpected("',' or ';' after the argument " + quoted(Tree.Arguments.back().Name));
  return false;
}

void Parser::complainOfOptionWithoutSemicolon() {
  const TextRange Word = Tokens.current().Range;
  const bool First = Tokens.previous().End == 0;
  const FixIt Semicolon = First ? FixIt{{Word.Begin, Word.Begin}, "; "} : FixIt{Tokens.previous(), ";"};
  Tokens.error(Word, "expected ';' before the option " + describe(Tokens.current()), {Semicolon});
  InOptions = true;
}

}  // namespace

ParseResult parse(llvm::StringRef Text) {
  ParseResult Result;
  SyntaxErrors Errors;
  if (Text.size() > MaxTextLength) {
    Errors.add({MaxTextLength, MaxTextLength + 1},
               "the annotation has " + llvm::Twine(Text.size()) + " bytes, more than " + llvm::Twine(MaxTextLength));
  } else {
    Annotation Tree = Parser(Text, Errors).parse();
    if (Errors.empty()) {
      Result.Tree = std::move(Tree);
    }
  }
  Result.Errors = Errors.take();
  return Result;
}

}  // namespace graphgen::annotation
