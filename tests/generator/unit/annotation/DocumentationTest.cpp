// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/annotations.md: its examples are in the language, and its table says rightly which forms are supported.
#include "MarkedText.h"
#include "annotation/Supported.h"

#include <fstream>
#include <sstream>

namespace graphgen::annotation {
namespace {

std::string page() {
  std::ifstream File(ANNOTATIONS_PAGE);
  std::ostringstream Text;
  Text << File.rdbuf();
  return Text.str();
}

/// What is between the parentheses of each GRAPHED(...) in a block of C++.
std::vector<std::string> examples(const std::string& Page) {
  const std::string Macro = "GRAPHED(";
  std::vector<std::string> Result;
  for (size_t At = Page.find("\n" + Macro); At != std::string::npos; At = Page.find("\n" + Macro, At + 1)) {
    const size_t Begin = At + 1 + Macro.size();
    size_t End = Begin;
    for (int Open = 1; End < Page.size(); ++End) {
      Open += Page[End] == '(' ? 1 : Page[End] == ')' ? -1 : 0;
      if (Open == 0) {
        break;
      }
    }
    Result.push_back(Page.substr(Begin, End - Begin));
  }
  return Result;
}

/// The cells of the table below "At a glance", without its head.
std::vector<std::vector<std::string>> glance(const std::string& Page) {
  std::vector<std::vector<std::string>> Rows;
  std::istringstream Lines(Page.substr(Page.find("## At a glance")));
  for (std::string Line; std::getline(Lines, Line) && Line.rfind("## Tensors", 0) != 0;) {
    if (Line.rfind("| ", 0) != 0) {
      continue;
    }
    std::vector<std::string> Cells;
    std::istringstream Row(Line.substr(1));
    for (std::string Cell; std::getline(Row, Cell, '|');) {
      Cells.push_back(Cell.substr(1, Cell.size() - 2));
    }
    Rows.push_back(Cells);
  }
  Rows.erase(Rows.begin());
  return Rows;
}

TEST(Documentation, HasExamplesThatAreInTheLanguage) {
  const std::vector<std::string> Examples = examples(page());
  EXPECT_GE(Examples.size(), 7U);
  for (const std::string& Text : Examples) {
    parsed(Text);
  }
}

TEST(Documentation, SaysRightlyWhatIsSupported) {
  const auto Rows = glance(page());
  EXPECT_GE(Rows.size(), 18U);
  for (const std::vector<std::string>& Row : Rows) {
    SCOPED_TRACE(Row.at(1));
    const std::string Example = Row.at(1).substr(1, Row.at(1).size() - 2);
    EXPECT_EQ(checkSupported(parsed(Example)).empty(), Row.at(3).rfind("yes", 0) == 0);
  }
}

}  // namespace
}  // namespace graphgen::annotation
