// SPDX-License-Identifier: Apache-2.0
//
// The values of dimensions, counts and option values, in checked 64-bit arithmetic.
#pragma once

#include "annotation/Diagnostic.h"

#include <map>
#include <variant>

namespace graphgen::annotation {

/// A name's value in the declaration's scope, by its spelling in the annotation.
using Constants = std::map<std::string, int64_t>;

/// The most dimensions that a tensor, and the most elements that a list may have.
constexpr size_t MaxDims = 64;
constexpr int64_t MaxCount = 4096;
constexpr int64_t MaxTensors = 65536;  // with scalars, of one annotation

struct NameUse {
  std::string Name;
  std::vector<TextRange> Ranges;  // in the order of the text
};

/// The distinct names in dims, counts and option values, by their first use; dimension variables are not among them.
std::vector<NameUse> names(const Annotation& Tree);

/// Either the value or a "graphed-dimension" error at the place of what is wrong.
template <typename T>
using Evaluated = std::variant<T, Diagnostic>;

/// An expression's value, with C++'s division; an overflow, a division by zero and an unknown name are errors.
Evaluated<int64_t> evaluate(const Expr& Value, const Constants& Known);

/// The expression with its constant parts computed, as C++ can spell it: `2 * kRows * B` is `8 * B` where kRows is 4. Names without a value
/// stay.
Expr fold(const Expr& Value, const Constants& Known);

/// A dimension: zero or more.
Evaluated<int64_t> evaluateDim(const Expr& Value, const Constants& Known);

/// The number of a list's elements: 0 to MaxCount. A tensor without `* n` is not a list and has no count.
Evaluated<int64_t> evaluateCount(const Expr& Value, const Constants& Known);

/// The value of `warmup` (zero or more), `slots` or `order` (one or more), each at most INT32_MAX. Parsed must be one of these.
Evaluated<int64_t> evaluateOption(const Option& Parsed, const Constants& Known);

/// The most values of an open dimension variable, `B in any 4`: one or more.
Evaluated<int64_t> limitOf(const DimVariable& Open, const Constants& Known);

/// In bytes.
int64_t elementSize(DType Type);

/// The shape of a tensor, whose size in bytes 64 bits can hold.
Evaluated<std::vector<int64_t>> evaluateShape(const Spec& Tensor, const Constants& Known);

/// Every error that the functions above would give for this tree at any combination of its dimension variables' values. Errors of those
/// variables themselves are there too, in the order of the text.
std::vector<Diagnostic> checkValues(const Annotation& Tree, const Constants& Known);

}  // namespace graphgen::annotation
