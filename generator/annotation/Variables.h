// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables: their values, and where they may stand.
#pragma once

#include "annotation/Evaluate.h"

#include <set>

namespace graphgen::annotation {

/// The most graphs that the dimension variables of one annotation may ask for.
constexpr size_t MaxCombinations = 1024;

bool usesAny(const Expr& Value, const std::set<std::string>& Variables);

/// A "graphed-dimension" error for each value that cannot be, or comes twice, and for too many combinations. There is one for each variable
/// that is in no dimension or count, and for each use in a value or an option. A padded variable may not be in a count, or beside something
/// else in a dimension. An open one may not be in a count or beside padding, and a call must show its value.
std::vector<Diagnostic> checkVariables(const Annotation& Tree, const Constants& Known);

/// A dimension variable, its values known, or an open one: those of the first calls.
struct Variable {
  std::string Name;
  std::vector<int64_t> Values;  // ascending
  std::optional<PadFill> Pad;
  std::vector<TextRange> Ranges = {};  // of the values; empty where they are from no text
  bool IsCount = false;                // is in the count of a list
  std::optional<int64_t> AtMost = {};  // of an open one's values, which are not known

  bool isOpen() const { return AtMost.has_value(); }
};

/// Those of a tree that checkVariables finds nothing wrong with.
std::vector<Variable> variablesOf(const Annotation& Tree, const Constants& Known);

/// Those that are in the count of a list, or the others.
std::vector<Variable> variablesThat(const std::vector<Variable>& All, bool AreCounts);

/// Whether the extent depends on an open one.
bool isOpen(const Expr& Dim, const std::vector<Variable>& Variables);

/// " where B is 1 and T is 8", of those with known values; empty without.
std::string placeOf(const std::vector<Variable>& Variables, const Constants& Values);

/// What is known at each combination of the known values, ascending, the last variable varying first. Without any, Known alone.
std::vector<Constants> combinations(const std::vector<Variable>& Variables, const Constants& Known = {});

}  // namespace graphgen::annotation
