// SPDX-License-Identifier: Apache-2.0
//
// Messages go through one format each, so that nothing in them is taken for a placeholder.
#include "scan/Reporter.h"

#include "scan/MacroText.h"

namespace graphgen::scan {
namespace {

using Level = clang::DiagnosticsEngine::Level;

constexpr char WithId[] = "%0 [%1]";

// Flags, which are printed of diagnostics with an option alone.
constexpr llvm::StringLiteral OfCall = "call";
constexpr llvm::StringLiteral InTextAlone = "text";
constexpr llvm::StringLiteral NotInText = "-";  // before another one

clang::DiagnosticBuilder begin(clang::DiagnosticsEngine& Engine, Level As, clang::SourceLocation Where, llvm::StringRef Id,
                               const llvm::Twine& Message, bool IsInText) {
  clang::DiagnosticBuilder Builder = Engine.Report(Where, Engine.getCustomDiagID(As, WithId));
  Builder << Message.str() << Id << clang::AddFlagValue(IsInText ? "" : NotInText);
  return Builder;
}

clang::DiagnosticBuilder beginNote(clang::DiagnosticsEngine& Engine, clang::SourceLocation Where, const llvm::Twine& Message,
                                   const llvm::Twine& Flag) {
  clang::DiagnosticBuilder Builder = Engine.Report(Where, Engine.getCustomDiagID(Level::Note, "%0"));
  Builder << Message.str() << clang::AddFlagValue(Flag.str());
  return Builder;
}

}  // namespace

clang::DiagnosticBuilder Reporter::error(clang::SourceLocation Where, llvm::StringRef Id, const llvm::Twine& Message, bool IsInText) {
  ++Errors;
  return begin(Engine, Level::Error, Where, Id, Message, IsInText);
}

clang::DiagnosticBuilder Reporter::warning(clang::SourceLocation Where, llvm::StringRef Id, const llvm::Twine& Message, bool IsInText) {
  return begin(Engine, Level::Warning, Where, Id, Message, IsInText);
}

clang::DiagnosticBuilder Reporter::note(clang::SourceLocation Where, const llvm::Twine& Message, bool IsInText) {
  return beginNote(Engine, Where, Message, IsInText ? "" : NotInText);
}

clang::DiagnosticBuilder Reporter::call(clang::SourceLocation Where, const llvm::Twine& Message, bool IsInText) {
  return beginNote(Engine, Where, Message, (IsInText ? "" : NotInText) + OfCall);
}

void Reporter::noteInText(const llvm::Twine& Message) { beginNote(Engine, {}, Message, InTextAlone); }

Reporter::Told Reporter::split(const clang::Diagnostic& Info) {
  const bool IsOwn =
      clang::DiagnosticIDs::IsCustomDiag(Info.getID()) && Info.getDiags()->getDiagnosticIDs()->getDescription(Info.getID()) == WithId;
  return IsOwn ? Told{Info.getArgStdStr(1), Info.getArgStdStr(0)} : Told{};
}

bool Reporter::isCall(const clang::Diagnostic& Info) { return Info.getFlagValue().ends_with(OfCall); }

bool Reporter::isInText(const clang::Diagnostic& Info) { return !Info.getFlagValue().starts_with(NotInText); }

bool Reporter::isInTextAlone(const clang::Diagnostic& Info) { return Info.getFlagValue() == InTextAlone; }

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
