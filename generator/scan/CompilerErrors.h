// SPDX-License-Identifier: Apache-2.0
//
// The compiler's own diagnostics, held back: an error outside the annotated declarations is the compiler's to show when it compiles the
// file.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceLocation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace clang {
class SourceManager;
}

namespace graphgen::scan {

/// Forwards graphgen's diagnostics to `Printer`, and errors in the flags. Keeps the other errors, which are reported at the end of a file
/// that was not read to its end.
class CompilerErrors : public clang::DiagnosticConsumer {
 public:
  /// `WhyNoFlags`: said of the first file that is not found; may be empty.
  explicit CompilerErrors(clang::DiagnosticConsumer& Printer, std::string WhyNoFlags = {})
      : Printer(Printer), WhyNoFlags(std::move(WhyNoFlags)) {}

  void BeginSourceFile(const clang::LangOptions& Options, const clang::Preprocessor* PP) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info) override;

  /// Whether an error of the compiler's was printed, or something was said of a place in a precompiled header.
  bool isPlainScanNeeded() const { return IsPlainScanNeeded; }

  /// Prints the errors held that are on the lines of `Range`, with their notes, and files that were not found; each once.
  void tell(const clang::SourceManager& Sources, clang::SourceRange Range);

  /// The same, but of the errors after `Begin` the first only. False where there was none to print, then or before.
  bool tellFirst(const clang::SourceManager& Sources, clang::SourceLocation Begin);

  /// The first error in the text of `Range`, of those that no instance of a template has alone; null where there is none.
  const clang::StoredDiagnostic* firstIn(const clang::SourceManager& Sources, clang::SourceRange Range) const;

  /// Says that the file was read to its end.
  void reachEnd() { IsAtEnd = true; }

 private:
  struct Held {
    std::vector<clang::StoredDiagnostic> ErrorAndNotes;
    bool Told = false;
  };

  void tell(Held& What);

  clang::DiagnosticConsumer& Printer;
  std::string WhyNoFlags;
  const clang::DiagnosticsEngine* Engine = nullptr;  // of what is held
  std::vector<Held> Errors;
  bool InFile = false;
  bool IsAtEnd = false;
  bool Telling = false;
  bool NotesFollow = false;
  bool IsPlainScanNeeded = false;
};

}  // namespace graphgen::scan
