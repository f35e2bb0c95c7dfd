// SPDX-License-Identifier: Apache-2.0
//
// A line is due when the next diagnostic comes, or the end.
#include "scan/HelpLines.h"

#include "report/Rules.h"
#include "scan/Reporter.h"

namespace graphgen::scan {

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
  if (IsInText && Reporter::isInText(Info)) {
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
