// SPDX-License-Identifier: Apache-2.0
//
// Trees written by hand, and their equality: everything but the places in the text.
#pragma once

#include "annotation/Syntax.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::annotation {

inline Expr integer(int64_t Value) {
  Expr Result;
  Result.Value = Value;
  return Result;
}

inline Expr name(std::string Name) {
  Expr Result;
  Result.Op = Expr::Kind::Name;
  Result.Name = std::move(Name);
  return Result;
}

inline Expr operation(Expr::Kind Op, std::vector<Expr> Operands) {
  Expr Result;
  Result.Op = Op;
  Result.Operands = std::move(Operands);
  return Result;
}

inline Expr negate(Expr Operand) { return operation(Expr::Kind::Negate, {std::move(Operand)}); }
inline Expr add(Expr Left, Expr Right) { return operation(Expr::Kind::Add, {std::move(Left), std::move(Right)}); }
inline Expr subtract(Expr Left, Expr Right) { return operation(Expr::Kind::Subtract, {std::move(Left), std::move(Right)}); }
inline Expr multiply(Expr Left, Expr Right) { return operation(Expr::Kind::Multiply, {std::move(Left), std::move(Right)}); }
inline Expr divide(Expr Left, Expr Right) { return operation(Expr::Kind::Divide, {std::move(Left), std::move(Right)}); }
inline Expr remainder(Expr Left, Expr Right) { return operation(Expr::Kind::Remainder, {std::move(Left), std::move(Right)}); }

inline Spec tensor(DType Type, std::vector<Expr> Dims, std::vector<Flag> Flags = {}, std::optional<Expr> Repeat = std::nullopt) {
  Spec Result;
  Result.Type = Type;
  Result.Dims = std::move(Dims);
  for (Flag Value : Flags) {
    Result.Flags.push_back({Value, {}});
  }
  Result.Repeat = std::move(Repeat);
  return Result;
}

inline Spec scalar(ScalarKind Kind) {
  Spec Result;
  Result.What = Spec::Kind::Scalar;
  Result.Scalar = Kind;
  return Result;
}

inline Spec object(ObjectKind Kind) {
  Spec Result;
  Result.What = Spec::Kind::Object;
  Result.Object = Kind;
  return Result;
}

inline Spec unseen(UnseenKind Kind) {
  Spec Result;
  Result.What = Spec::Kind::Unseen;
  Result.Unseen = Kind;
  return Result;
}

inline Field field(std::string Name, Spec Value) { return {std::move(Name), {}, std::move(Value)}; }

inline Spec aggregate(std::vector<Field> Fields, std::optional<Expr> Repeat = std::nullopt) {
  Spec Result;
  Result.What = Spec::Kind::Aggregate;
  Result.Fields = std::move(Fields);
  Result.Repeat = std::move(Repeat);
  return Result;
}

inline Annotation arguments(std::vector<Field> Fields) { return {std::move(Fields), {}, {}}; }

template <typename T>
bool same(const std::vector<T>& Left, const std::vector<T>& Right);
template <typename T>
bool same(const std::optional<T>& Left, const std::optional<T>& Right) {
  return Left.has_value() == Right.has_value() && (!Left || same(*Left, *Right));
}

inline bool same(const Expr& Left, const Expr& Right) {
  return Left.Op == Right.Op && Left.Value == Right.Value && Left.Name == Right.Name && same(Left.Operands, Right.Operands);
}

inline bool same(const FlagUse& Left, const FlagUse& Right) { return Left.Value == Right.Value; }

inline bool same(const Spec& Left, const Spec& Right);
inline bool same(const Field& Left, const Field& Right) { return Left.Name == Right.Name && same(Left.Value, Right.Value); }

inline bool same(const Spec& Left, const Spec& Right) {
  return Left.What == Right.What && Left.Type == Right.Type && same(Left.Dims, Right.Dims) && same(Left.Flags, Right.Flags) &&
         Left.Scalar == Right.Scalar && Left.Object == Right.Object && Left.Unseen == Right.Unseen && same(Left.Fields, Right.Fields) &&
         same(Left.Repeat, Right.Repeat);
}

inline bool same(const DimVariable& Left, const DimVariable& Right) {
  const auto Fill = [](const DimVariable& Each) { return Each.Pad ? std::optional(Each.Pad->Fill) : std::nullopt; };
  return Left.Name == Right.Name && same(Left.Values, Right.Values) && same(Left.AtMost, Right.AtMost) && Fill(Left) == Fill(Right);
}

inline bool same(const Option& Left, const Option& Right) {
  return Left.Kind == Right.Kind && Left.Word == Right.Word && same(Left.Value, Right.Value);
}

inline bool same(const Annotation& Left, const Annotation& Right) {
  return same(Left.Arguments, Right.Arguments) && same(Left.Variables, Right.Variables) && same(Left.Options, Right.Options);
}

template <typename T>
bool same(const std::vector<T>& Left, const std::vector<T>& Right) {
  return std::equal(Left.begin(), Left.end(), Right.begin(), Right.end(), [](const T& L, const T& R) { return same(L, R); });
}

}  // namespace graphgen::annotation
