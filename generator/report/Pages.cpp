// SPDX-License-Identifier: Apache-2.0
//
// The texts are embedded by PagesFromDocs.cmake.
#include "report/Rules.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::report {
namespace {

struct EmbeddedPage {
  llvm::StringLiteral Name;
  llvm::StringLiteral Text;
};

constexpr EmbeddedPage Pages[] = {
#include "Pages.inc"
};

}  // namespace

llvm::StringRef pageText(const Rule& R) {
  const auto* Found = llvm::find_if(Pages, [&](const EmbeddedPage& Each) { return Each.Name == R.Page; });
  return Found == std::end(Pages) ? llvm::StringRef() : llvm::StringRef(Found->Text);
}

llvm::StringRef pageNamed(llvm::StringRef Name) {
  Name.consume_front("docs/");
  Name.consume_back(".md");
  const auto pathOf = [](const EmbeddedPage& Each) { return Each.Name.drop_back(llvm::StringRef(".md").size()); };
  const auto* Found = llvm::find_if(Pages, [&](const EmbeddedPage& Each) { return pathOf(Each) == Name; });
  if (Found == std::end(Pages) && !Name.empty()) {
    Found = llvm::find_if(Pages, [&](const EmbeddedPage& Each) { return pathOf(Each).rsplit('/').second == Name; });
  }
  return Found == std::end(Pages) ? llvm::StringRef() : llvm::StringRef(Found->Text);
}

}  // namespace graphgen::report
