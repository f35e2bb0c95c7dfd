// SPDX-License-Identifier: Apache-2.0
//
// Parses what is after the first `;`: options and dimension variables.
#pragma once

#include "annotation/ExprParser.h"

#include <set>
#include <string>

namespace graphgen::annotation {

class OptionParser {
 public:
  OptionParser(TokenStream& Tokens, Annotation& Tree) : Tokens(Tokens), Exprs(Tokens), Tree(Tree) {}

  /// One or more options, separated by ',' or ';', up to the end. After names the token before them, for messages.
  void parse(const llvm::Twine& After);

  /// The tokens look like an option or a dimension variable, and like no argument.
  static bool begins(const TokenStream& Tokens);

 private:
  bool parseOne(const llvm::Twine& After);
  bool parseVariable(const Token& Name);
  Padding parsePadding();
  bool parseVariableValues(DimVariable& Variable);
  bool parseOption();
  std::optional<OptionKind> kindOf(const Token& Word);
  bool parseValue(Option& Parsed);
  bool parseChoice(Option& Parsed);
  bool parseId(Option& Parsed);

  TokenStream& Tokens;
  ExprParser Exprs;
  Annotation& Tree;
  std::set<OptionKind> Seen;
  std::set<std::string> Allowed;
  std::set<std::string> Variables;
};

}  // namespace graphgen::annotation
