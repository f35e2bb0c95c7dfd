// SPDX-License-Identifier: Apache-2.0
//
// A check judges one callable, over the AST that scan hands on. Its name is the id of its diagnostics and of their page.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

class Check {
 public:
  explicit Check(llvm::StringRef Name) : Name(Name) {}
  virtual ~Check() = default;

  virtual void check(const scan::ScannedCallable& Scanned, scan::Reporter& Report) const = 0;

 protected:
  clang::DiagnosticBuilder error(scan::Reporter& Report, clang::SourceLocation Where, const llvm::Twine& Message) const {
    return Report.error(Where, Name, Message);
  }

 private:
  llvm::StringRef Name;
};

/// Runs all checks over all callables.
void runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, scan::Reporter& Report);

}  // namespace graphgen::check
