// SPDX-License-Identifier: Apache-2.0
//
// A line is due when the next diagnostic comes, or the end.
#include "scan/HelpLines.h"

#include "report/Rules.h"
#include "scan/Reporter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

namespace graphgen::scan {
namespace {

/// As #include: Clang would print all lines from there to the caret's.
bool isLine(const clang::FixItHint& Its) { return llvm::StringRef(Its.CodeToInsert).ends_with("\n"); }

void printWithoutLines(clang::DiagnosticConsumer& Printer, clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info) {
  clang::DiagnosticStorage Parts;
  Parts.DiagRanges.append(Info.getRanges().begin(), Info.getRanges().end());
  llvm::copy_if(Info.getFixItHints(), std::back_inserter(Parts.FixItHints), [](const clang::FixItHint& Each) { return !isLine(Each); });
  llvm::SmallString<256> Text;
  Info.FormatDiagnostic(Text);
  Printer.HandleDiagnostic(Level, {Info.getDiags(), Info.getLocation(), Info.getID(), Parts, Text});
}

}  // namespace

void HelpLines::BeginSourceFile(const clang::LangOptions& Options, const clang::Preprocessor* PP) { Printer.BeginSourceFile(Options, PP); }

void HelpLines::EndSourceFile() {
  printLine();
  Printer.EndSourceFile();
}

void HelpLines::HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level != clang::DiagnosticsEngine::Note) {
    printLine();
    IsInText = Reporter::isInText(Info);
    Latest = IsInText ? Reporter::split(Info).Id : "";
  }
  if (!IsInText || !Reporter::isInText(Info)) {
    return;
  }
  if (llvm::any_of(Info.getFixItHints(), isLine)) {
    printWithoutLines(Printer, Level, Info);
  } else {
    Printer.HandleDiagnostic(Level, Info);
  }
}

void HelpLines::printLine() {
  const report::Rule* Known = report::ruleNamed(Latest);
  if (Known && Explained.insert(Latest).second) {
    Stream << report::helpLine(*Known);
  }
  Latest.clear();
}

}  // namespace graphgen::scan
