// SPDX-License-Identifier: Apache-2.0
//
// A complaint about a place in an annotation's text. The code that knows the text's place in a file turns it into a compiler's diagnostic.
#pragma once

#include "annotation/Syntax.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphgen::annotation {

struct FixIt {
  TextRange Range;  // empty: an insertion
  std::string Replacement;
};

struct Diagnostic {
  std::string Id;  // "graphed-syntax": its page is docs/reference/diagnostics.md#graphed-syntax
  TextRange Range;
  std::string Message;  // lower case, no period, gives the values
  std::vector<FixIt> FixIts;
};

/// 'Text' for messages; a long one is cut.
inline std::string quoted(std::string_view Text) {
  constexpr size_t MostShown = 40;
  return "'" + std::string(Text.substr(0, MostShown)) + (Text.size() > MostShown ? "...'" : "'");
}

/// Keeps Found in the order of the text; what is at the same place stays in the order of the calls.
inline void addInOrder(std::vector<Diagnostic>& Found, Diagnostic New) {
  const auto Place = std::upper_bound(Found.begin(), Found.end(), New.Range.Begin,
                                      [](unsigned Begin, const Diagnostic& Other) { return Begin < Other.Range.Begin; });
  Found.insert(Place, std::move(New));
}

}  // namespace graphgen::annotation
