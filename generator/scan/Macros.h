// SPDX-License-Identifier: Apache-2.0
//
// Macros of the file's that generated code would meet.
#pragma once

#include "scan/Reporter.h"

#include "clang/Basic/SourceLocation.h"

#include <string>

namespace clang {
class IdentifierInfo;
class MacroInfo;
class Preprocessor;
}  // namespace clang

namespace graphgen::scan {

/// As they are where generated code begins: behind a header, or where a source includes it.
class Macros {
 public:
  /// `Inclusion` is that of the source's generated header; invalid where there is none.
  Macros(clang::Preprocessor& PP, clang::SourceLocation Inclusion) : PP(PP), Inclusion(Inclusion) {}

  /// Complains of each that would be expanded in `Code`. Those of the libraries, and of the compiler, are left out.
  void refuse(const std::string& Code, Reporter& Report) const;

 private:
  const clang::MacroInfo* find(llvm::StringRef Name) const;
  bool isOfLibraries(clang::SourceLocation Definition) const;
  llvm::StringRef folderOf(clang::SourceLocation Definition) const;

  clang::Preprocessor& PP;
  clang::SourceLocation Inclusion;
};

}  // namespace graphgen::scan
