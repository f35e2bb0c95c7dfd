// SPDX-License-Identifier: Apache-2.0
//
// Evaluates trees bottom-up; the first error within an expression is the one that is given.
#include "annotation/Evaluate.h"

#include "annotation/Printer.h"
#include "annotation/Variables.h"
#include "annotation/Words.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace graphgen::annotation {
namespace {

Diagnostic failure(TextRange Range, const llvm::Twine& Message) { return {"graphed-dimension", Range, Message.str(), {}}; }

std::string quotedExpr(const Expr& Value) { return quoted(print(Value)); }

bool overflowsDivision(int64_t Left, int64_t Right) { return Left == std::numeric_limits<int64_t>::min() && Right == -1; }

std::optional<int64_t> apply(Expr::Kind Op, int64_t Left, int64_t Right) {
  switch (Op) {
    case Expr::Kind::Add:
      return llvm::checkedAdd(Left, Right);
    case Expr::Kind::Subtract:
      return llvm::checkedSub(Left, Right);
    case Expr::Kind::Multiply:
      return llvm::checkedMul(Left, Right);
    case Expr::Kind::Divide:
      return overflowsDivision(Left, Right) ? std::nullopt : std::optional<int64_t>(Left / Right);
    case Expr::Kind::Remainder:
      return overflowsDivision(Left, Right) ? std::nullopt : std::optional<int64_t>(Left % Right);
    default:
      return std::nullopt;
  }
}

Evaluated<int64_t> evaluateBinary(const Expr& Value, int64_t Left, int64_t Right) {
  const bool Divides = Value.Op == Expr::Kind::Divide || Value.Op == Expr::Kind::Remainder;
  if (Divides && Right == 0) {
    return failure(Value.Operands[1].Range, "division by zero in " + quotedExpr(Value));
  }
  if (const std::optional<int64_t> Result = apply(Value.Op, Left, Right)) {
    return *Result;
  }
  return failure(Value.Range, quotedExpr(Value) + " overflows 64 bits");
}

/// Value between Least and Most; What is "a dimension" in messages.
Evaluated<int64_t> evaluateWithin(const Expr& Value, const Constants& Known, const llvm::Twine& What, int64_t Least, int64_t Most) {
  Evaluated<int64_t> Result = evaluate(Value, Known);
  const int64_t* Number = std::get_if<int64_t>(&Result);
  if (!Number || (*Number >= Least && *Number <= Most)) {
    return Result;
  }
  const std::string Limit = *Number < Least ? "at least " + std::to_string(Least) : "at most " + std::to_string(Most);
  const std::string Given = Value.Op == Expr::Kind::Integer ? std::string() : quotedExpr(Value) + " is ";
  return failure(Value.Range, What + " is " + Limit + ", but " + Given + llvm::Twine(*Number) + (Given.empty() ? " is given" : ""));
}

/// As C++ spells it: there is no literal for the least number.
Expr literal(int64_t Number, TextRange Range = {}) {
  const bool IsLeast = Number == std::numeric_limits<int64_t>::min();
  Expr Result;
  Result.Range = Range;
  Result.Value = IsLeast ? Number + 1 : Number;
  if (!IsLeast) {
    return Result;
  }
  Expr Difference;
  Difference.Op = Expr::Kind::Subtract;
  Difference.Range = Range;
  Difference.Operands = {std::move(Result), literal(1)};
  return Difference;
}

}  // namespace

int64_t elementSize(DType Type) {
  switch (Type) {
    case DType::F8E4M3:
    case DType::F8E5M2:
    case DType::I8:
    case DType::U8:
    case DType::Bool:
      return 1;
    case DType::F16:
    case DType::BF16:
    case DType::I16:
      return 2;
    case DType::F32:
    case DType::I32:
      return 4;
    case DType::F64:
    case DType::C64:
    case DType::I64:
      return 8;
    case DType::C128:
      return 16;
  }
  return 0;
}

Evaluated<int64_t> evaluate(const Expr& Value, const Constants& Known) {
  if (Value.Op == Expr::Kind::Integer) {
    return Value.Value;
  }
  if (Value.Op == Expr::Kind::Name) {
    const auto Found = Known.find(Value.Name);
    if (Found == Known.end()) {
      return failure(Value.Range, "unknown name " + quotedExpr(Value));
    }
    return Found->second;
  }
  Evaluated<int64_t> Left = evaluate(Value.Operands[0], Known);
  const int64_t* LeftNumber = std::get_if<int64_t>(&Left);
  if (!LeftNumber) {
    return Left;
  }
  if (Value.Op == Expr::Kind::Negate) {
    if (const std::optional<int64_t> Result = llvm::checkedSub(int64_t{0}, *LeftNumber)) {
      return *Result;
    }
    return failure(Value.Range, quotedExpr(Value) + " overflows 64 bits");
  }
  Evaluated<int64_t> Right = evaluate(Value.Operands[1], Known);
  const int64_t* RightNumber = std::get_if<int64_t>(&Right);
  return RightNumber ? evaluateBinary(Value, *LeftNumber, *RightNumber) : Right;
}

Expr fold(const Expr& Value, const Constants& Known) {
  const Evaluated<int64_t> Result = evaluate(Value, Known);
  if (const int64_t* Number = std::get_if<int64_t>(&Result)) {
    return literal(*Number, Value.Range);
  }
  Expr Folded = Value;
  for (Expr& Operand : Folded.Operands) {
    Operand = fold(Operand, Known);
  }
  const bool IsDoubleNegation = Folded.Op == Expr::Kind::Negate && Folded.Operands[0].Op == Expr::Kind::Negate;
  return IsDoubleNegation ? Expr(Folded.Operands[0].Operands[0]) : Folded;
}

Evaluated<int64_t> evaluateDim(const Expr& Value, const Constants& Known) {
  return evaluateWithin(Value, Known, "a dimension", 0, std::numeric_limits<int64_t>::max());
}

Evaluated<int64_t> evaluateCount(const Expr& Value, const Constants& Known) {
  return evaluateWithin(Value, Known, "the count of a list", 0, MaxCount);
}

Evaluated<int64_t> evaluateOption(const Option& Parsed, const Constants& Known) {
  assert(Parsed.Value && "the option has a number");
  const int64_t Least = Parsed.Kind == OptionKind::Warmup ? 0 : 1;
  return evaluateWithin(*Parsed.Value, Known, "'" + spelling(Parsed.Kind) + "'", Least, std::numeric_limits<int32_t>::max());
}

Evaluated<int64_t> limitOf(const DimVariable& Open, const Constants& Known) {
  return evaluateWithin(*Open.AtMost, Known, "the number of values of " + quoted(Open.Name), 1, MaxCombinations);
}

Evaluated<std::vector<int64_t>> evaluateShape(const Spec& Tensor, const Constants& Known) {
  if (Tensor.Dims.size() > MaxDims) {
    return failure(Tensor.Dims[MaxDims].Range,
                   "a tensor has at most " + llvm::Twine(MaxDims) + " dimensions, but " + llvm::Twine(Tensor.Dims.size()) + " are given");
  }
  std::vector<int64_t> Shape;
  std::optional<int64_t> Bytes = elementSize(Tensor.Type);
  for (const Expr& Dim : Tensor.Dims) {
    Evaluated<int64_t> Size = evaluateDim(Dim, Known);
    if (Diagnostic* Error = std::get_if<Diagnostic>(&Size)) {
      return std::move(*Error);
    }
    Shape.push_back(std::get<int64_t>(Size));
    // An empty dimension counts as one, as it does in the strides.
    if (Bytes) {
      Bytes = llvm::checkedMul(*Bytes, std::max<int64_t>(Shape.back(), 1));
    }
  }
  if (!Bytes) {
    return failure({Tensor.Dims.front().Range.Begin, Tensor.Dims.back().Range.End}, "the tensor's size in bytes overflows 64 bits");
  }
  return Shape;
}

}  // namespace graphgen::annotation
