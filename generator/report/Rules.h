// SPDX-License-Identifier: Apache-2.0
//
// Every id of a diagnostic, as the indexes docs/reference/diagnostics.md and docs/reference/checks/README.md have it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphgen::report {

struct Rule {
  llvm::StringRef Id;
  llvm::StringRef Page;  // below the documentation's folder, with the section: "reference/diagnostics.md#graphed-syntax"
  llvm::StringRef Meaning;
};

/// In the order of their ids.
llvm::ArrayRef<Rule> rules();

/// Null for what is not an id of graphgen's.
const Rule* ruleNamed(llvm::StringRef Id);

/// The page as a URI: at GRAPHGEN_DOCS_URL where the build names one, else in the documentation that is installed beside the program, else
/// in the sources.
std::string helpUri(const Rule& R);

/// The line of a text that names the page: at GRAPHGEN_DOCS_URL, else by its path, which is relative where no documentation is installed.
std::string helpLine(const Rule& R);

/// The section itself, in Markdown.
llvm::StringRef pageText(const Rule& R);

/// A page by its path below the documentation's folder, or by its name alone, "explanation/guards.md" or "guards"; docs/ may come before
/// it. With an anchor, "guards#strides", that section. Empty where there is none.
llvm::StringRef pageNamed(llvm::StringRef Name);

}  // namespace graphgen::report
