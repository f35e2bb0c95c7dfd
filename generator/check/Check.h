// SPDX-License-Identifier: Apache-2.0
//
// A check judges one callable, over the AST that scan hands on. Its name is the id of its diagnostics and of their page.
#pragma once

#include "scan/Scan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

/// Of the annotation and the declaration.
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

/// Of capture-safety checks: lists of globs, as Globs.h reads them.
struct CheckOptions {
  std::string Checks;  // after "*"
  std::string WarningsAsErrors;
  bool ByFacts = false;  // by rules/, which is to take over
};

/// What the globs choose from.
std::vector<llvm::StringRef> checkNames();

struct CheckLevel {
  llvm::StringRef Name;
  bool IsError;  // where every call comes to the place; else its findings are warnings
};

/// Those that the globs choose, in the order of their names.
std::vector<CheckLevel> chosenChecks(const CheckOptions& Options);

/// Runs all checks over all callables. Returns those whose annotations fit their declarations, whatever their bodies do.
std::vector<scan::ScannedCallable> runChecks(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies,
                                             const CheckOptions& Options, scan::Reporter& Report);

}  // namespace graphgen::check
