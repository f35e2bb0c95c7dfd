// SPDX-License-Identifier: Apache-2.0
//
// The text of diagnostics leads to their pages, and leaves out what the other formats alone have.
#pragma once

#include "clang/Basic/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

#include <set>
#include <string>

namespace graphgen::scan {

/// Forwards to `Printer` what text has; after the first diagnostic of an id, and its notes, a line names the id's page.
class HelpLines : public clang::DiagnosticConsumer {
 public:
  /// `Explained`: the ids that need no line any more.
  HelpLines(clang::DiagnosticConsumer& Printer, llvm::raw_ostream& Stream, std::set<std::string> Explained)
      : Printer(Printer), Stream(Stream), Explained(std::move(Explained)) {}

  void BeginSourceFile(const clang::LangOptions& Options, const clang::Preprocessor* PP) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info) override;

 private:
  void printLine();

  clang::DiagnosticConsumer& Printer;
  llvm::raw_ostream& Stream;
  std::set<std::string> Explained;
  bool IsInText = true;
  std::string Latest;  // id of the diagnostic that notes may follow
};

}  // namespace graphgen::scan
