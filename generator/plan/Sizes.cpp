// SPDX-License-Identifier: Apache-2.0
//
// Extents are read by the annotation language's own parser.
#include "plan/Sizes.h"

#include "annotation/Parser.h"
#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace graphgen::plan {
namespace {

std::optional<int64_t> extentAt(const std::string& Spelled, const Size& At) {
  int64_t Value = 0;
  if (!StringRef(Spelled).getAsInteger(10, Value)) {
    return Value;
  }
  if (const auto Variable = At.find(Spelled); Variable != At.end()) {
    return Variable->second;
  }
  const annotation::ParseResult Parsed = annotation::parse("x: u8[" + Spelled + "]");
  if (!Parsed.Tree || Parsed.Tree->Arguments.size() != 1 || Parsed.Tree->Arguments.front().Value.Dims.size() != 1) {
    return std::nullopt;
  }
  const auto Result = annotation::evaluateDim(Parsed.Tree->Arguments.front().Value.Dims.front(), At);
  return std::holds_alternative<int64_t>(Result) ? std::optional(std::get<int64_t>(Result)) : std::nullopt;
}

}  // namespace

std::optional<std::vector<int64_t>> shapeAt(const Tensor& Tensor, const Size& At) {
  std::vector<int64_t> Shape;
  for (const std::string& Each : Tensor.Shape) {
    const std::optional<int64_t> Extent = extentAt(Each, At);
    if (!Extent) {
      return std::nullopt;
    }
    Shape.push_back(*Extent);
  }
  return Shape;
}

std::string typeAndShape(annotation::DType Type, ArrayRef<int64_t> Shape) {
  return (annotation::spelling(Type) + "[" + join(map_range(Shape, [](int64_t Each) { return std::to_string(Each); }), ", ") + "]").str();
}

std::string textOf(const Size& At) {
  return join(map_range(At, [](const auto& Each) { return Each.first + " = " + std::to_string(Each.second); }), ", ");
}

}  // namespace graphgen::plan
