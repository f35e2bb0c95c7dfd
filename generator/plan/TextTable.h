// SPDX-License-Identifier: Apache-2.0
//
// Rows of text whose columns stand below each other.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace graphgen::plan {

class TextTable {
 public:
  /// The cells of the column `RightAligned` end below each other.
  explicit TextTable(std::optional<std::size_t> RightAligned = std::nullopt) : RightAligned(RightAligned) {}

  void add(std::vector<std::string> Row) { Rows.push_back(std::move(Row)); }

  /// Each row on a line that begins with `Indent`, without blanks at its end.
  void print(llvm::raw_ostream& Out, llvm::StringRef Indent) const;

 private:
  std::optional<std::size_t> RightAligned;
  std::vector<std::vector<std::string>> Rows;
};

}  // namespace graphgen::plan
