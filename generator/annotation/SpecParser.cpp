// SPDX-License-Identifier: Apache-2.0
//
// A wrong word is complained of and read as the nearest right one, so that what follows it is checked as well.
#include "annotation/SpecParser.h"

#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::annotation {
namespace {

bool isOperator(TokenKind Kind) {
  return Kind == TokenKind::Plus || Kind == TokenKind::Minus || Kind == TokenKind::Star || Kind == TokenKind::Slash ||
         Kind == TokenKind::Percent;
}

}  // namespace

std::optional<Spec> SpecParser::parse() {
  if (Tokens.at(TokenKind::LeftBrace)) {
    return parseAggregate();
  }
  if (!Tokens.at(TokenKind::Identifier)) {
    Tokens.unexpected("a dtype, '{', " + allValueWords());
    return std::nullopt;
  }
  if (const std::optional<ScalarKind> Kind = scalarNamed(Tokens.current().Text)) {
    return parseScalar(*Kind);
  }
  if (const std::optional<ObjectKind> Kind = objectNamed(Tokens.current().Text)) {
    return parseObject(*Kind);
  }
  if (const std::optional<UnseenKind> Kind = unseenNamed(Tokens.current().Text)) {
    return parseUnseen(*Kind);
  }
  return parseTensor();
}

std::optional<Spec> SpecParser::parseScalar(ScalarKind Kind) {
  Spec Result;
  Result.What = Spec::Kind::Scalar;
  Result.Scalar = Kind;
  const unsigned Begin = Tokens.advance().Range.Begin;
  if (!parseRepeat(Result)) {
    return std::nullopt;
  }
  if (!endsWithoutFlags(spelling(Kind))) {
    return std::nullopt;
  }
  Result.Range = Tokens.rangeFrom(Begin);
  return Result;
}

std::optional<Spec> SpecParser::parseWord(Spec Result, llvm::StringRef Word) {
  const unsigned Begin = Tokens.advance().Range.Begin;
  if (!endsWithoutFlags(Word)) {
    return std::nullopt;
  }
  Result.Range = Tokens.rangeFrom(Begin);
  return Result;
}

std::optional<Spec> SpecParser::parseObject(ObjectKind Kind) {
  Spec Result;
  Result.What = Spec::Kind::Object;
  Result.Object = Kind;
  return parseWord(std::move(Result), spelling(Kind));
}

std::optional<Spec> SpecParser::parseUnseen(UnseenKind Kind) {
  Spec Result;
  Result.What = Spec::Kind::Unseen;
  Result.Unseen = Kind;
  return parseWord(std::move(Result), spelling(Kind));
}

bool SpecParser::endsWithoutFlags(llvm::StringRef Word) {
  if (!Tokens.at(TokenKind::Identifier) || Tokens.atNameAndColon()) {
    return true;
  }
  const llvm::StringRef Article = llvm::StringRef("aeiou").contains(Word.front()) ? "an '" : "a '";
  Tokens.error(Tokens.current().Range, Article + Word + "' argument takes no flags, got " + describe(Tokens.current()));
  return false;
}

std::optional<Spec> SpecParser::parseTensor() {
  Spec Result;
  const unsigned Begin = Tokens.current().Range.Begin;
  const std::optional<DType> Type = parseDType();
  if (!Type) {
    return std::nullopt;
  }
  Result.Type = *Type;
  if (!parseDims(Result)) {
    return std::nullopt;
  }
  parseFlags(Result);
  if (!parseRepeat(Result)) {
    return std::nullopt;
  }
  parseFlags(Result);
  Result.Range = Tokens.rangeFrom(Begin);
  return Result;
}

std::optional<DType> SpecParser::parseDType() {
  const unsigned Begin = Tokens.current().Range.Begin;
  Token Last = Tokens.advance();
  const bool Qualified = Tokens.at(TokenKind::ColonColon);
  while (Tokens.accept(TokenKind::ColonColon)) {
    if (!Tokens.at(TokenKind::Identifier)) {
      Tokens.unexpected("a name after '::'");
      return std::nullopt;
    }
    Last = Tokens.advance();
  }
  const std::optional<DType> Known = dtypeNamed(Last.Text);
  if (Known && !Qualified) {
    return Known;
  }
  const bool IsTensor = Tokens.at(TokenKind::LeftBracket);
  const llvm::StringRef Near = IsTensor ? nearestDType(Last.Text) : nearestDTypeOrWord(Last.Text);
  const std::string Unknown = (IsTensor ? "unknown dtype " : "unknown word ") + describe(Last) + "; ";
  const TextRange Range = Tokens.rangeFrom(Begin);
  if (!Near.empty()) {
    Tokens.error(Range, Unknown + "did you mean '" + Near + "'?", {{Range, Near.str()}});
  } else {
    Tokens.error(Range, Unknown + "expected " + allDTypes() + (IsTensor ? "" : "; or " + allValueWords()));
  }
  if (!IsTensor) {
    return std::nullopt;
  }
  return dtypeNamed(Near).value_or(DType::F32);
}

bool SpecParser::parseDims(Spec& Tensor) {
  const llvm::StringRef Type = spelling(Tensor.Type);
  if (!Tokens.at(TokenKind::LeftBracket)) {
    Tokens.unexpected("'[' to open the dimensions of '" + Type + "' (a tensor without dimensions is '" + Type + "[]')");
    return false;
  }
  Tokens.advance();
  if (Tokens.accept(TokenKind::RightBracket)) {
    return true;
  }
  do {
    if (Tokens.at(TokenKind::Star) || Tokens.at(TokenKind::Colon)) {
      Tokens.error(Tokens.current().Range, "expected a dimension, got " + describe(Tokens.current()) + VariableHint);
      return false;
    }
    std::optional<Expr> Dim = Exprs.parse("a dimension");
    if (!Dim) {
      return false;
    }
    Tensor.Dims.push_back(std::move(*Dim));
  } while (Tokens.accept(TokenKind::Comma));
  if (Tokens.accept(TokenKind::RightBracket)) {
    return true;
  }
  const bool MoreFollows = Tokens.at(TokenKind::Integer) || Tokens.at(TokenKind::Identifier);
  Tokens.unexpected(MoreFollows ? "',' or ']' after a dimension" : "']' to close the dimensions");
  return false;
}

void SpecParser::parseFlags(Spec& Tensor) {
  while (Tokens.at(TokenKind::Identifier) && !Tokens.atNameAndColon()) {
    const TextRange Range = Tokens.current().Range;
    const std::optional<Flag> Value = parseFlag();
    if (!Value) {
      continue;
    }
    if (llvm::any_of(Tensor.Flags, [&](const FlagUse& Use) { return Use.Value == *Value; })) {
      Tokens.error(Range, "the flag '" + spelling(*Value) + "' is given twice");
    }
    Tensor.Flags.push_back({*Value, Range});
  }
}

std::optional<Flag> SpecParser::parseFlag() {
  const Token Word = Tokens.advance();
  if (const std::optional<Flag> Known = flagNamed(Word.Text)) {
    return Known;
  }
  const llvm::StringRef Near = nearestFlag(Word.Text);
  if (Near.empty()) {
    Tokens.error(Word.Range, "unknown flag " + describe(Word) + "; expected " + allFlags());
  } else {
    Tokens.error(Word.Range, "unknown flag " + describe(Word) + "; did you mean '" + Near + "'?", {{Word.Range, Near.str()}});
  }
  return flagNamed(Near);
}

bool SpecParser::parseRepeat(Spec& Repeated) {
  if (!Tokens.accept(TokenKind::Star)) {
    return true;
  }
  Repeated.Repeat = Exprs.parsePrimary("an integer, a name or '(' after '*'");
  if (!Repeated.Repeat) {
    return false;
  }
  if (!isOperator(Tokens.current().Kind)) {
    return true;
  }
  Tokens.error(Tokens.current().Range, "arithmetic in a count needs parentheses: '* (...)'");
  return false;
}

std::optional<Spec> SpecParser::parseAggregate() {
  Spec Result;
  Result.What = Spec::Kind::Aggregate;
  if (Depth == MaxNesting) {
    Tokens.error(Tokens.current().Range, "nesting deeper than " + llvm::Twine(MaxNesting) + " levels");
    return std::nullopt;
  }
  const unsigned Begin = Tokens.advance().Range.Begin;
  ++Depth;
  const bool Parsed = parseMembers(Result);
  --Depth;
  if (!Parsed || !parseRepeat(Result)) {
    return std::nullopt;
  }
  if (Tokens.at(TokenKind::Identifier) && !Tokens.atNameAndColon()) {
    Tokens.error(Tokens.current().Range,
                 "flags belong to the tensors inside an aggregate, got " + describe(Tokens.current()) + " after it");
    return std::nullopt;
  }
  Result.Range = Tokens.rangeFrom(Begin);
  return Result;
}

bool SpecParser::parseMembers(Spec& Aggregate) {
  do {
    std::optional<Field> Member = parseMember(Aggregate);
    if (!Member) {
      return false;
    }
    Aggregate.Fields.push_back(std::move(*Member));
  } while (Tokens.accept(TokenKind::Comma));
  if (Tokens.accept(TokenKind::RightBrace)) {
    return true;
  }
  Tokens.unexpected(Tokens.at(TokenKind::Identifier) ? "',' or '}' after a member" : "'}' to close the aggregate");
  return false;
}

std::optional<Field> SpecParser::parseMember(const Spec& Aggregate) {
  Field Result;
  const Token First = Tokens.current();
  if (!checkMemberStart(Aggregate, First)) {
    return std::nullopt;
  }
  if (Tokens.atNameAndColon()) {
    Result.Name = First.Text.str();
    Result.NameRange = First.Range;
    Tokens.advance();
    Tokens.advance();
  }
  if (!Tokens.at(TokenKind::LeftBrace) && !Tokens.at(TokenKind::Identifier)) {
    Tokens.unexpected("a tensor, an aggregate, key, const, live, out or ignore as a member");
    return std::nullopt;
  }
  std::optional<Spec> Value = parse();
  if (!Value) {
    return std::nullopt;
  }
  Result.Value = std::move(*Value);
  return Result;
}

bool SpecParser::checkMemberStart(const Spec& Aggregate, const Token& First) {
  if (First.Kind != TokenKind::Identifier && First.Kind != TokenKind::LeftBrace) {
    Tokens.unexpected("a tensor, an aggregate, key, const, live, out or ignore as a member");
    return false;
  }
  const bool Named = Tokens.atNameAndColon();
  if (!Aggregate.Fields.empty() && Named == Aggregate.Fields.front().Name.empty()) {
    Tokens.error(First.Range, Named ? "the members before have no names, so that " + describe(First) + " cannot have one"
                                    : "the members before have names, so that this one needs a name and ':'");
    return false;
  }
  if (Named && llvm::any_of(Aggregate.Fields, [&](const Field& Other) { return Other.Name == First.Text; })) {
    Tokens.error(First.Range, "the member " + describe(First) + " is given twice");
  }
  return true;
}

}  // namespace graphgen::annotation
