// SPDX-License-Identifier: Apache-2.0
//
// Options are read one by one; after an error the next one is tried.
#include "annotation/OptionParser.h"

#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::annotation {

bool OptionParser::begins(const TokenStream& Tokens) {
  if (!Tokens.at(TokenKind::Identifier)) {
    return false;
  }
  const Token& Following = Tokens.following();
  if (Following.Kind == TokenKind::Equal || (Following.Kind == TokenKind::Identifier && Following.Text == "in")) {
    return true;
  }
  const std::optional<OptionKind> Kind = optionNamed(Tokens.current().Text);
  const bool Ends = Following.Kind == TokenKind::Comma || Following.Kind == TokenKind::Semicolon || Following.Kind == TokenKind::End;
  return Kind && valueOf(*Kind) == OptionValue::Nothing && Ends;
}

void OptionParser::parse(const llvm::Twine& After) {
  std::string Before = After.str();
  for (;;) {
    if (!parseOne(Before)) {
      Tokens.skipToSeparator();
    }
    if (!Tokens.at(TokenKind::Comma) && !Tokens.at(TokenKind::Semicolon)) {
      return;
    }
    Before = " after " + describe(Tokens.advance());
  }
}

bool OptionParser::parseOne(const llvm::Twine& After) {
  if (!Tokens.at(TokenKind::Identifier)) {
    Tokens.unexpected("an option" + After);
    return false;
  }
  if (Tokens.atNameAndColon() && !optionNamed(Tokens.current().Text)) {
    Tokens.error(Tokens.current().Range, "the argument " + describe(Tokens.current()) + " is after ';', where only options are allowed");
    return false;
  }
  const bool IsVariable = Tokens.following().Kind == TokenKind::Identifier && Tokens.following().Text == "in";
  if (!(IsVariable ? parseVariable(Tokens.advance()) : parseOption())) {
    return false;
  }
  if (Tokens.atSeparator()) {
    return true;
  }
  Tokens.unexpected("',' or ';' after the option");
  return false;
}

/// At `in`, or at a sign that is used instead.
bool OptionParser::parseVariable(const Token& Name) {
  DimVariable Variable;
  Variable.Name = Name.Text.str();
  Variable.NameRange = Name.Range;
  Tokens.advance();
  if (!Variables.insert(Variable.Name).second) {
    Tokens.error(Name.Range, "the dimension variable " + describe(Name) + " is given twice");
  }
  if (!parseVariableValues(Variable)) {
    return false;
  }
  if (Tokens.atWord("pad")) {
    Variable.Pad = parsePadding();
  }
  Variable.Range = Tokens.rangeFrom(Name.Range.Begin);
  Tree.Variables.push_back(std::move(Variable));
  return true;
}

Padding OptionParser::parsePadding() {
  const unsigned Begin = Tokens.advance().Range.Begin;
  Padding Result;
  if (Tokens.atWord("repeat")) {
    Tokens.advance();
    Result.Fill = PadFill::Repeat;
  }
  Result.Range = Tokens.rangeFrom(Begin);
  return Result;
}

bool OptionParser::parseVariableValues(DimVariable& Variable) {
  if (Tokens.atWord("any")) {
    Tokens.advance();
    Variable.AtMost = Exprs.parse("the most values that " + quoted(Variable.Name) + " may take, as in 'any 4'");
    return Variable.AtMost.has_value();
  }
  if (!Tokens.expect(TokenKind::LeftBrace, "or 'any' before the values of " + quoted(Variable.Name))) {
    return false;
  }
  do {
    std::optional<Expr> Value = Exprs.parse("a value of " + quoted(Variable.Name));
    if (!Value) {
      return false;
    }
    Variable.Values.push_back(std::move(*Value));
  } while (Tokens.accept(TokenKind::Comma));
  return Tokens.expect(TokenKind::RightBrace, "to close the values of " + quoted(Variable.Name));
}

bool OptionParser::parseOption() {
  const Token Word = Tokens.advance();
  if (Tokens.at(TokenKind::Equal) && Tokens.following().Kind == TokenKind::LeftBrace && !optionNamed(Word.Text)) {
    const TextRange Sign = Tokens.current().Range;
    Tokens.error(Sign, "expected 'in' before the values of the dimension variable " + describe(Word) + ", got '='",
                 {{Sign, Word.Range.End == Sign.Begin ? " in " : "in"}});
    return parseVariable(Word);
  }
  const std::optional<OptionKind> Kind = kindOf(Word);
  if (!Kind) {
    return false;
  }
  if (!Seen.insert(*Kind).second && *Kind != OptionKind::Allow) {
    Tokens.error(Word.Range, "the option '" + spelling(*Kind) + "' is given twice");
  }
  Option Parsed{*Kind, {}, std::nullopt, {}, {}};
  if (!parseValue(Parsed)) {
    return false;
  }
  Parsed.Range = Tokens.rangeFrom(Word.Range.Begin);
  Tree.Options.push_back(std::move(Parsed));
  return true;
}

std::optional<OptionKind> OptionParser::kindOf(const Token& Word) {
  const std::optional<OptionKind> Kind = optionNamed(Word.Text);
  if (Kind) {
    return Kind;
  }
  const llvm::StringRef Near = nearestOption(Word.Text);
  if (Near.empty()) {
    Tokens.error(Word.Range,
                 "unknown option " + describe(Word) + "; expected " + allOptions() + ", or a dimension variable, 'B in {1, 8, 64}'");
    return std::nullopt;
  }
  Tokens.error(Word.Range, "unknown option " + describe(Word) + "; did you mean '" + Near + "'?", {{Word.Range, Near.str()}});
  return optionNamed(Near);
}

bool OptionParser::parseValue(Option& Parsed) {
  const std::string Name = quoted(spelling(Parsed.Kind));
  if (valueOf(Parsed.Kind) == OptionValue::Nothing) {
    if (!Tokens.at(TokenKind::Equal)) {
      return true;
    }
    Tokens.error(Tokens.current().Range, "the option " + Name + " takes no value");
    return false;
  }
  if (!Tokens.expect(TokenKind::Equal, "after " + Name)) {
    return false;
  }
  if (valueOf(Parsed.Kind) == OptionValue::Expr) {
    Parsed.Value = Exprs.parse("an integer for " + Name);
    if (Parsed.Value) {
      Parsed.ValueRange = Parsed.Value->Range;
    }
    return Parsed.Value.has_value();
  }
  const bool IsId = valueOf(Parsed.Kind) == OptionValue::Id;
  if (Tokens.at(TokenKind::Identifier)) {
    return IsId ? parseId(Parsed) : parseChoice(Parsed);
  }
  const bool IsName = IsId || valueOf(Parsed.Kind) == OptionValue::Name;
  Tokens.unexpected((IsName ? "a name" : allChoices(Parsed.Kind)) + " for " + Name);
  return false;
}

bool OptionParser::parseChoice(Option& Parsed) {
  const Token Word = Tokens.advance();
  Parsed.Word = Word.Text.str();
  Parsed.ValueRange = Word.Range;
  if (valueOf(Parsed.Kind) == OptionValue::Name || llvm::is_contained(choicesOf(Parsed.Kind), Word.Text)) {
    return true;
  }
  const llvm::StringRef Near = nearestChoice(Parsed.Kind, Word.Text);
  const std::string Unknown = ("unknown value " + describe(Word) + " for '" + spelling(Parsed.Kind) + "'; ").str();
  if (Near.empty()) {
    Tokens.error(Word.Range, Unknown + "expected " + allChoices(Parsed.Kind));
  } else {
    Tokens.error(Word.Range, Unknown + "did you mean '" + Near + "'?", {{Word.Range, Near.str()}});
  }
  return true;
}

/// `graphed-host-item`; formatters put blanks around the signs.
bool OptionParser::parseId(Option& Parsed) {
  const unsigned Begin = Tokens.current().Range.Begin;
  for (;;) {
    Parsed.Word += Tokens.advance().Text;
    if (!Tokens.accept(TokenKind::Minus)) {
      break;
    }
    if (!Tokens.at(TokenKind::Identifier)) {
      Tokens.unexpected("the rest of a check's name after '-'");
      return false;
    }
    Parsed.Word += '-';
  }
  Parsed.ValueRange = Tokens.rangeFrom(Begin);
  if (!Allowed.insert(Parsed.Word).second) {
    Tokens.error(Parsed.ValueRange, "the check " + quoted(Parsed.Word) + " is allowed twice");
  }
  return true;
}

}  // namespace graphgen::annotation
