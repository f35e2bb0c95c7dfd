// SPDX-License-Identifier: Apache-2.0
//
// Keeps what is reported for the formats that are written at the end of a run.
#pragma once

#include "report/Message.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/LangOptions.h"

namespace clang {
class SourceManager;
}

namespace graphgen::scan {

class Recorder : public clang::DiagnosticConsumer {
 public:
  /// Forwards everything to `Printer`, which may be null.
  explicit Recorder(clang::DiagnosticConsumer* Printer) : Printer(Printer) {}

  void BeginSourceFile(const clang::LangOptions& Options, const clang::Preprocessor* PP) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info) override;

  report::Report take() { return std::move(Told); }

 private:
  std::optional<report::Region> region(const clang::Diagnostic& Info) const;
  std::vector<report::Edit> edits(const clang::Diagnostic& Info);

  clang::DiagnosticConsumer* Printer;
  clang::LangOptions Language;
  report::Report Told;
};

}  // namespace graphgen::scan
