// SPDX-License-Identifier: Apache-2.0
//
// Two blanks divide columns.
#include "plan/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace graphgen::plan {

void TextTable::print(raw_ostream& Out, StringRef Indent) const {
  std::vector<std::size_t> Widths;
  for (const std::vector<std::string>& Row : Rows) {
    Widths.resize(std::max(Widths.size(), Row.size()));
    for (const auto& [Index, Cell] : enumerate(Row)) {
      Widths[Index] = std::max(Widths[Index], Cell.size());
    }
  }
  for (const std::vector<std::string>& Row : Rows) {
    std::string Line;
    for (const auto& [Index, Cell] : enumerate(Row)) {
      const std::string Blanks(Widths[Index] - Cell.size(), ' ');
      Line += (Index == 0 ? "" : "  ") + (RightAligned == Index ? Blanks + Cell : Cell + Blanks);
    }
    Out << Indent << StringRef(Line).rtrim() << '\n';
  }
}

}  // namespace graphgen::plan
