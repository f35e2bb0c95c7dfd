// SPDX-License-Identifier: Apache-2.0
//
// Parses what is after an argument's colon: a tensor, an aggregate or a scalar.
#pragma once

#include "annotation/ExprParser.h"

namespace graphgen::annotation {

class SpecParser {
 public:
  explicit SpecParser(TokenStream& Tokens) : Tokens(Tokens), Exprs(Tokens) {}

  /// spec = tensor | aggregate | "key" | "const" | "live" | "module" | "object" | "out" | "ignore". Empty after a complaint
  /// from which there is no way on.
  std::optional<Spec> parse();

 private:
  std::optional<Spec> parseScalar(ScalarKind Kind);
  std::optional<Spec> parseObject(ObjectKind Kind);
  std::optional<Spec> parseUnseen(UnseenKind Kind);
  /// Of a spec that is this word alone.
  std::optional<Spec> parseWord(Spec Result, llvm::StringRef Word);
  bool endsWithoutFlags(llvm::StringRef Word);
  std::optional<Spec> parseTensor();
  std::optional<DType> parseDType();
  bool parseDims(Spec& Tensor);
  void parseFlags(Spec& Tensor);
  std::optional<Flag> parseFlag();
  std::optional<Spec> parseAggregate();
  bool parseMembers(Spec& Aggregate);
  std::optional<Field> parseMember(const Spec& Aggregate);
  bool checkMemberStart(const Spec& Aggregate, const Token& First);
  bool parseRepeat(Spec& Repeated);

  TokenStream& Tokens;
  ExprParser Exprs;
  unsigned Depth = 0;
};

}  // namespace graphgen::annotation
