// SPDX-License-Identifier: Apache-2.0
//
// Comments that suppress a check: `// graphgen: allow(graphed-host-item)`, several divided by commas, in the line of the finding or alone
// in the line before it.
#pragma once

#include "check/Findings.h"

#include "clang/Basic/SourceManager.h"

#include <map>

namespace graphgen::check {

struct Allowance {
  std::string Check;
  clang::CharSourceRange Range;  // of the name
  unsigned Line = 0;             // that it speaks about
  bool IsUsed = false;
  bool IsJudged = true;  // a body that it speaks about was looked at
};

class Allowances {
 public:
  explicit Allowances(const clang::SourceManager& Sources) : Sources(Sources) {}

  /// Whether a comment suppresses the finding, in whose line it was written or where its macro was; the comment then counts as used.
  bool silences(const Finding& Told);

  /// Those in the lines of these bodies, each once.
  std::vector<Allowance> inside(llvm::ArrayRef<const clang::FunctionDecl*> Bodies);

 private:
  bool silences(llvm::StringRef Check, clang::SourceLocation Place);
  std::vector<Allowance>& of(clang::FileID File);

  const clang::SourceManager& Sources;
  std::map<clang::FileID, std::vector<Allowance>> Files;
};

}  // namespace graphgen::check
