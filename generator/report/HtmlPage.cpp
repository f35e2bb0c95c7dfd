// SPDX-License-Identifier: Apache-2.0
#include "report/HtmlPage.h"

namespace graphgen::report {
namespace {

// Before the report, and after it.
constexpr llvm::StringLiteral Around[] = {
#include "Page.inc"
};

}  // namespace

std::string htmlPage(llvm::StringRef Json) {
  std::string Page = Around[0].str();
  for (const char C : Json) {
    if (C == '<') {
      Page += "\\u003c";  // no text of the report ends the script element
    } else {
      Page += C;
    }
  }
  return Page + Around[1].str();
}

}  // namespace graphgen::report
