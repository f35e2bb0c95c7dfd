// SPDX-License-Identifier: Apache-2.0
//
// Recursive descent over the three levels of precedence; recursion and the tree's depth are both bounded.
#include "annotation/ExprParser.h"

namespace graphgen::annotation {
namespace {

std::optional<Expr::Kind> sumOperator(TokenKind Kind) {
  switch (Kind) {
    case TokenKind::Plus:
      return Expr::Kind::Add;
    case TokenKind::Minus:
      return Expr::Kind::Subtract;
    default:
      return std::nullopt;
  }
}

std::optional<Expr::Kind> productOperator(TokenKind Kind) {
  switch (Kind) {
    case TokenKind::Star:
      return Expr::Kind::Multiply;
    case TokenKind::Slash:
      return Expr::Kind::Divide;
    case TokenKind::Percent:
      return Expr::Kind::Remainder;
    default:
      return std::nullopt;
  }
}

Expr operation(Expr::Kind Op, std::vector<Expr> Operands, TextRange Range) {
  Expr Result;
  Result.Op = Op;
  Result.Operands = std::move(Operands);
  Result.Range = Range;
  return Result;
}

}  // namespace

std::optional<Expr> ExprParser::parse(const llvm::Twine& What) {
  Operators = 0;
  return parseSum(What);
}

std::optional<Expr> ExprParser::parseSum(const llvm::Twine& What) { return parseChain(&ExprParser::parseProduct, sumOperator, What); }

std::optional<Expr> ExprParser::parseProduct(const llvm::Twine& What) {
  return parseChain(&ExprParser::parseNegation, productOperator, What);
}

std::optional<Expr> ExprParser::parseChain(Level Operand, std::optional<Expr::Kind> (*OperatorOf)(TokenKind), const llvm::Twine& What) {
  const unsigned Begin = Tokens.current().Range.Begin;
  std::optional<Expr> Left = (this->*Operand)(What);
  while (Left) {
    const std::optional<Expr::Kind> Op = OperatorOf(Tokens.current().Kind);
    if (!Op) {
      break;
    }
    if (!countOperator()) {
      return std::nullopt;
    }
    const Token Sign = Tokens.advance();
    std::optional<Expr> Right = (this->*Operand)("an integer, a name or '(' after " + describe(Sign));
    if (!Right) {
      return std::nullopt;
    }
    std::vector<Expr> Operands;
    Operands.push_back(std::move(*Left));
    Operands.push_back(std::move(*Right));
    Left = operation(*Op, std::move(Operands), Tokens.rangeFrom(Begin));
  }
  return Left;
}

std::optional<Expr> ExprParser::parseNegation(const llvm::Twine& What) {
  std::vector<TextRange> Signs;
  while (Tokens.at(TokenKind::Minus)) {
    if (!countOperator()) {
      return std::nullopt;
    }
    Signs.push_back(Tokens.advance().Range);
  }
  std::optional<Expr> Operand = Signs.empty() ? parsePrimary(What) : parsePrimary("an integer, a name or '(' after '-'");
  for (; Operand && !Signs.empty(); Signs.pop_back()) {
    std::vector<Expr> Operands;
    Operands.push_back(std::move(*Operand));
    Operand = operation(Expr::Kind::Negate, std::move(Operands), Tokens.rangeFrom(Signs.back().Begin));
  }
  return Operand;
}

std::optional<Expr> ExprParser::parsePrimary(const llvm::Twine& What) {
  if (Tokens.at(TokenKind::LeftParen)) {
    return parseParenthesized();
  }
  if (Tokens.at(TokenKind::Identifier) || Tokens.at(TokenKind::ColonColon)) {
    return parseName();
  }
  if (!Tokens.at(TokenKind::Integer)) {
    Tokens.unexpected(What);
    return std::nullopt;
  }
  Expr Result;
  Result.Value = Tokens.current().Value;
  Result.Range = Tokens.advance().Range;
  return Result;
}

std::optional<Expr> ExprParser::parseParenthesized() {
  if (Depth == MaxNesting) {
    Tokens.error(Tokens.current().Range, "nesting deeper than " + llvm::Twine(MaxNesting) + " levels");
    return std::nullopt;
  }
  Tokens.advance();
  ++Depth;
  std::optional<Expr> Inner = parseSum("an integer, a name or '(' after '('");
  --Depth;
  if (!Inner || !Tokens.expect(TokenKind::RightParen, "to close the parentheses")) {
    return std::nullopt;
  }
  return Inner;
}

std::optional<Expr> ExprParser::parseName() {
  const unsigned Begin = Tokens.current().Range.Begin;
  Expr Result;
  Result.Op = Expr::Kind::Name;
  if (Tokens.accept(TokenKind::ColonColon)) {
    Result.Name = "::";
  }
  for (;;) {
    if (!Tokens.at(TokenKind::Identifier)) {
      Tokens.unexpected("a name after '::'");
      return std::nullopt;
    }
    Result.Name += Tokens.advance().Text;
    if (!Tokens.accept(TokenKind::ColonColon)) {
      break;
    }
    Result.Name += "::";
  }
  Result.Range = Tokens.rangeFrom(Begin);
  return Result;
}

bool ExprParser::countOperator() {
  if (++Operators <= MaxOperators) {
    return true;
  }
  Tokens.error(Tokens.current().Range, "more than " + llvm::Twine(MaxOperators) + " operators in one expression");
  return false;
}

}  // namespace graphgen::annotation
