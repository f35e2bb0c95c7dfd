// SPDX-License-Identifier: Apache-2.0
//
// What graphgen says about a file: Clang's diagnostics, each ending with its id in brackets.
#pragma once

#include "annotation/Diagnostic.h"

#include "clang/Basic/Diagnostic.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace graphgen::scan {

class MacroText;

class Reporter {
 public:
  explicit Reporter(clang::DiagnosticsEngine& Engine) : Engine(Engine) {}

  /// `Id` names a section of docs/reference/diagnostics.md or of a page in docs/reference/checks. Ranges and fix-its can be streamed into
  /// what is returned. What is not `IsInText` the other formats alone have, with its notes.
  clang::DiagnosticBuilder error(clang::SourceLocation Where, llvm::StringRef Id, const llvm::Twine& Message, bool IsInText = true);

  clang::DiagnosticBuilder warning(clang::SourceLocation Where, llvm::StringRef Id, const llvm::Twine& Message, bool IsInText = true);

  /// Belongs to the error or warning before it.
  clang::DiagnosticBuilder note(clang::SourceLocation Where, const llvm::Twine& Message, bool IsInText = true);

  /// A note of a call between the place of the error or warning and the annotated callable.
  clang::DiagnosticBuilder call(clang::SourceLocation Where, const llvm::Twine& Message, bool IsInText = true);

  /// A note about no place, which text alone has.
  void noteInText(const llvm::Twine& Message);

  /// A complaint of the annotation's language about its text.
  void error(const MacroText& Text, const annotation::Diagnostic& What);

  /// Counts an error that the compiler has reported.
  void fail() { ++Errors; }

  // What a consumer of the diagnostics sees:
  struct Told {
    std::string Id;  // empty for the compiler's own
    std::string Message;
  };
  static Told split(const clang::Diagnostic& Info);
  static bool isCall(const clang::Diagnostic& Info);
  static bool isInText(const clang::Diagnostic& Info);
  static bool isInTextAlone(const clang::Diagnostic& Info);

  unsigned errors() const { return Errors; }
  clang::DiagnosticsEngine& engine() const { return Engine; }

 private:
  clang::DiagnosticsEngine& Engine;
  unsigned Errors = 0;
};

/// A fix-it that puts `Replacement` in the place of `Range`; an insertion where that is empty.
clang::FixItHint fixIt(clang::CharSourceRange Range, llvm::StringRef Replacement);

}  // namespace graphgen::scan
