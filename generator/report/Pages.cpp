// SPDX-License-Identifier: Apache-2.0
//
// The texts are embedded by PagesFromDocs.cmake.
#include "report/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <string>

namespace graphgen::report {
namespace {

struct EmbeddedPage {
  llvm::StringLiteral Name;
  llvm::StringLiteral Text;
};

constexpr EmbeddedPage Pages[] = {
#include "Pages.inc"
};

llvm::StringRef pathOf(const EmbeddedPage& Each) { return Each.Name.drop_back(llvm::StringRef(".md").size()); }

llvm::StringRef pageAt(llvm::StringRef Path) {
  Path.consume_front("docs/");
  Path.consume_back(".md");
  const auto* Found = llvm::find_if(Pages, [&](const EmbeddedPage& Each) { return pathOf(Each) == Path; });
  if (Found == std::end(Pages) && !Path.empty()) {
    Found = llvm::find_if(Pages, [&](const EmbeddedPage& Each) { return pathOf(Each).rsplit('/').second == Path; });
  }
  return Found == std::end(Pages) ? llvm::StringRef() : llvm::StringRef(Found->Text);
}

/// As GitHub makes it of a heading.
std::string anchorOf(llvm::StringRef Heading) {
  std::string Anchor;
  for (const char Each : Heading) {
    if (llvm::isAlnum(Each) || Each == '-' || Each == '_') {
      Anchor += llvm::toLower(Each);
    } else if (Each == ' ') {
      Anchor += '-';
    }
  }
  return Anchor;
}

/// From the heading to the next one of its level, or of one above.
llvm::StringRef sectionOf(llvm::StringRef Page, llvm::StringRef Anchor) {
  const char* Begin = nullptr;
  size_t Level = 0;
  bool IsCode = false;
  for (llvm::StringRef Rest = Page; !Rest.empty();) {
    const char* const Start = Rest.data();
    const llvm::StringRef Line = Rest.take_front(Rest.find('\n'));
    Rest = Rest.drop_front(std::min(Line.size() + 1, Rest.size()));
    IsCode ^= Line.starts_with("```");
    const size_t Marks = std::min(Line.find_first_not_of('#'), Line.size());
    if (IsCode || Marks == 0 || !Line.drop_front(Marks).starts_with(" ")) {
      continue;
    }
    if (Begin != nullptr && Marks <= Level) {
      return llvm::StringRef(Begin, Start - Begin - 1);  // without the empty line between them
    }
    if (Begin == nullptr && anchorOf(Line.drop_front(Marks + 1)) == Anchor) {
      Begin = Start;
      Level = Marks;
    }
  }
  return Begin == nullptr ? llvm::StringRef() : llvm::StringRef(Begin, Page.end() - Begin);
}

}  // namespace

llvm::StringRef pageText(const Rule& R) { return pageNamed(R.Page); }

llvm::StringRef pageNamed(llvm::StringRef Name) {
  const auto [Path, Anchor] = Name.split('#');
  const llvm::StringRef Page = pageAt(Path);
  return Anchor.empty() ? Page : sectionOf(Page, Anchor);
}

}  // namespace graphgen::report
