// SPDX-License-Identifier: Apache-2.0
//
// Extents are read by the annotation language's own parser.
#include "plan/Sizes.h"

#include "annotation/Parser.h"
#include "annotation/Printer.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

using annotation::Expr;

std::optional<Expr> parsed(StringRef Extent) {
  const annotation::ParseResult Result = annotation::parse("x: u8[" + Extent.str() + "]");
  if (!Result.Tree || Result.Tree->Arguments.size() != 1 || Result.Tree->Arguments.front().Value.Dims.size() != 1) {
    return std::nullopt;
  }
  return Result.Tree->Arguments.front().Value.Dims.front();
}

/// Whether each name in it is an open variable, which it is replaced by what stands for it.
bool putIn(Expr& Value, const OpenSizes& Open) {
  if (Value.Op != Expr::Kind::Name) {
    return all_of(Value.Operands, [&](Expr& Each) { return putIn(Each, Open); });
  }
  const auto Known = Open.find(Value.Name);
  std::optional<Expr> Found = Known == Open.end() ? std::nullopt : parsed(Known->second);
  Value = Found ? *Found : Value;
  return Found.has_value();
}

std::optional<std::string> extentAt(const std::string& Spelled, const Size& At, const OpenSizes& Open) {
  if (numberIn(Spelled)) {
    return Spelled;
  }
  if (const auto Variable = At.find(Spelled); Variable != At.end()) {
    return std::to_string(Variable->second);
  }
  std::optional<Expr> Value = parsed(Spelled);
  if (!Value) {
    return std::nullopt;
  }
  *Value = annotation::fold(*Value, At);
  if (!putIn(*Value, Open)) {
    return std::nullopt;
  }
  *Value = annotation::fold(*Value, {});
  const auto Number = annotation::evaluateDim(*Value, {});
  const bool IsWrong = Value->Op == Expr::Kind::Integer && !std::holds_alternative<int64_t>(Number);
  return IsWrong ? std::nullopt : std::optional(annotation::print(*Value));
}

}  // namespace

OpenSizes openSizesOf(const Samples& Set) {
  OpenSizes Open;
  for (const DimVariable& Each : Set.Variables) {
    if (Each.isOpen()) {
      Open.emplace(Each.Name, Each.Name);
    }
  }
  return Open;
}

std::optional<std::vector<std::string>> extentsAt(const Tensor& Tensor, const Size& At, const OpenSizes& Open) {
  std::vector<std::string> Extents;
  for (const std::string& Each : Tensor.Shape) {
    const std::optional<std::string> Extent = extentAt(Each, At, Open);
    if (!Extent) {
      return std::nullopt;
    }
    Extents.push_back(*Extent);
  }
  return Extents;
}

std::optional<int64_t> numberIn(StringRef Extent) {
  int64_t Value = 0;
  return Extent.getAsInteger(10, Value) ? std::nullopt : std::optional(Value);
}

std::string typeAndShape(annotation::DType Type, ArrayRef<std::string> Extents) {
  return (annotation::spelling(Type) + "[" + join(Extents, ", ") + "]").str();
}

std::string typeAndShape(const Samples& Set, const Tensor& Tensor, const Size& At) {
  return typeAndShape(Tensor.Type, *extentsAt(Tensor, At, openSizesOf(Set)));
}

std::string textOf(const Size& At) {
  return join(map_range(At, [](const auto& Each) { return Each.first + " = " + std::to_string(Each.second); }), ", ");
}

}  // namespace graphgen::plan
