// SPDX-License-Identifier: Apache-2.0
//
// The texts are embedded by PagesFromDocs.cmake.
#include "report/Rules.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::report {
namespace {

struct EmbeddedPage {
  llvm::StringRef Name;
  llvm::StringRef Text;
};

constexpr EmbeddedPage Pages[] = {
#include "Pages.inc"
};

}  // namespace

llvm::StringRef pageText(const Rule& R) {
  const auto* Found = llvm::find_if(Pages, [&](const EmbeddedPage& Each) { return Each.Name == R.Page; });
  return Found == std::end(Pages) ? llvm::StringRef() : Found->Text;
}

}  // namespace graphgen::report
