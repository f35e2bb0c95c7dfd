// SPDX-License-Identifier: Apache-2.0
//
// Messages go through one format each, so that nothing in them is taken for a placeholder.
#include "scan/Reporter.h"

#include "scan/MacroText.h"

namespace graphgen::scan {
namespace {

constexpr char WithId[] = "%0 [%1]";
constexpr char OfCall[] = "%0%1";  // the second argument is empty: it tells the note from others

bool hasFormat(const clang::Diagnostic& Info, llvm::StringRef Format) {
  return clang::DiagnosticIDs::IsCustomDiag(Info.getID()) && Info.getDiags()->getDiagnosticIDs()->getDescription(Info.getID()) == Format;
}

}  // namespace

Reporter::Reporter(clang::DiagnosticsEngine& Engine)
    : Engine(Engine),
      ErrorKind(Engine.getCustomDiagID(clang::DiagnosticsEngine::Error, WithId)),
      NoteKind(Engine.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0")),
      CallKind(Engine.getCustomDiagID(clang::DiagnosticsEngine::Note, OfCall)),
      WarningKind(Engine.getCustomDiagID(clang::DiagnosticsEngine::Warning, WithId)) {}

clang::DiagnosticBuilder Reporter::error(clang::SourceLocation Where, llvm::StringRef Id, const llvm::Twine& Message) {
  ++Errors;
  clang::DiagnosticBuilder Builder = Engine.Report(Where, ErrorKind);
  Builder << Message.str() << Id;
  return Builder;
}

clang::DiagnosticBuilder Reporter::warning(clang::SourceLocation Where, llvm::StringRef Id, const llvm::Twine& Message) {
  clang::DiagnosticBuilder Builder = Engine.Report(Where, WarningKind);
  Builder << Message.str() << Id;
  return Builder;
}

clang::DiagnosticBuilder Reporter::note(clang::SourceLocation Where, const llvm::Twine& Message) {
  clang::DiagnosticBuilder Builder = Engine.Report(Where, NoteKind);
  Builder << Message.str();
  return Builder;
}

clang::DiagnosticBuilder Reporter::call(clang::SourceLocation Where, const llvm::Twine& Message) {
  clang::DiagnosticBuilder Builder = Engine.Report(Where, CallKind);
  Builder << Message.str() << "";
  return Builder;
}

Reporter::Told Reporter::split(const clang::Diagnostic& Info) {
  return hasFormat(Info, WithId) ? Told{Info.getArgStdStr(1), Info.getArgStdStr(0)} : Told{};
}

bool Reporter::isCall(const clang::Diagnostic& Info) { return hasFormat(Info, OfCall); }

void Reporter::error(const MacroText& Text, const annotation::Diagnostic& What) {
  const clang::CharSourceRange Range = Text.range(What.Range);
  clang::DiagnosticBuilder Builder = error(Range.getBegin(), What.Id, What.Message);
  Builder << Range;
  for (const annotation::FixIt& Fix : What.FixIts) {
    Builder << fixIt(Text.range(Fix.Range), Fix.Replacement);
  }
}

clang::FixItHint fixIt(clang::CharSourceRange Range, llvm::StringRef Replacement) {
  if (Range.getBegin() == Range.getEnd()) {
    return clang::FixItHint::CreateInsertion(Range.getBegin(), Replacement);
  }
  return clang::FixItHint::CreateReplacement(Range, Replacement);
}

}  // namespace graphgen::scan
