// SPDX-License-Identifier: Apache-2.0
//
// Parses arithmetic on integers and names, as it is in dimensions, counts and option values.
#pragma once

#include "annotation/TokenStream.h"

#include <optional>

namespace graphgen::annotation {

/// How many operators one expression may have; this bounds the depth of its tree.
constexpr unsigned MaxOperators = 64;

class ExprParser {
 public:
  explicit ExprParser(TokenStream& Tokens) : Tokens(Tokens) {}

  /// expr = term { ("+" | "-") term }. What it is, for messages: "a dimension". Empty after a complaint.
  std::optional<Expr> parse(const llvm::Twine& What);

  /// An integer, a name, or an expression in parentheses: what follows the `*` of a list.
  std::optional<Expr> parsePrimary(const llvm::Twine& What);

 private:
  using Level = std::optional<Expr> (ExprParser::*)(const llvm::Twine& What);

  std::optional<Expr> parseSum(const llvm::Twine& What);
  std::optional<Expr> parseProduct(const llvm::Twine& What);
  std::optional<Expr> parseNegation(const llvm::Twine& What);
  std::optional<Expr> parseParenthesized();
  std::optional<Expr> parseName();
  std::optional<Expr> parseChain(Level Operand, std::optional<Expr::Kind> (*OperatorOf)(TokenKind), const llvm::Twine& What);
  bool countOperator();

  TokenStream& Tokens;
  unsigned Depth = 0;
  unsigned Operators = 0;
};

}  // namespace graphgen::annotation
