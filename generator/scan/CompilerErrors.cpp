// SPDX-License-Identifier: Apache-2.0
//
// Graphgen's own diagnostics are custom ones in Clang's terms; all others are the compiler's.
#include "scan/CompilerErrors.h"

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/LexDiagnostic.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::scan {
namespace {

bool isInPrecompiledHeader(const clang::Diagnostic& Info) {
  return Info.hasSourceManager() && Info.getLocation().isValid() &&
         Info.getSourceManager().isLoadedSourceLocation(Info.getSourceManager().getFileLoc(Info.getLocation()));
}

}  // namespace

void CompilerErrors::BeginSourceFile(const clang::LangOptions& Options, const clang::Preprocessor* PP) {
  InFile = true;
  Printer.BeginSourceFile(Options, PP);
}

void CompilerErrors::EndSourceFile() {
  if (!IsAtEnd) {
    for (Held& Error : Errors) {
      tell(Error);
    }
  }
  Printer.EndSourceFile();
  InFile = false;
}

void CompilerErrors::HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info) {
  const bool IsOwn = clang::DiagnosticIDs::IsCustomDiag(Info.getID());
  // What is not printed is of no account; what is, may end in another place when bodies are instantiated that this scan leaves.
  IsPlainScanNeeded |= IsOwn ? Level != clang::DiagnosticsEngine::Note && isInPrecompiledHeader(Info)
                             : Level >= clang::DiagnosticsEngine::Error && (Telling || !InFile);
  const bool IsDrivers = !InFile && Level >= clang::DiagnosticsEngine::Error;
  if (IsDrivers || Telling || IsOwn) {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    Printer.HandleDiagnostic(Level, Info);
    return;
  }
  if (!InFile) {
    return;
  }
  if (Level >= clang::DiagnosticsEngine::Error) {
    Errors.push_back({});
    Engine = Info.getDiags();
  }
  if (Level != clang::DiagnosticsEngine::Note) {
    NotesFollow = Level >= clang::DiagnosticsEngine::Error;
  }
  if (NotesFollow) {
    Errors.back().ErrorAndNotes.emplace_back(Level, Info);
  }
}

void CompilerErrors::tell(Held& What) {
  if (std::exchange(What.Told, true)) {
    return;
  }
  Telling = true;
  for (const clang::StoredDiagnostic& Stored : What.ErrorAndNotes) {
    clang::DiagnosticStorage Parts;
    Parts.DiagRanges.append(Stored.range_begin(), Stored.range_end());
    Parts.FixItHints.append(Stored.fixit_begin(), Stored.fixit_end());
    HandleDiagnostic(Stored.getLevel(), {Engine, Stored.getLocation(), Stored.getID(), Parts, Stored.getMessage()});
  }
  const clang::StoredDiagnostic& First = What.ErrorAndNotes.front();
  if (First.getID() == clang::diag::err_pp_file_not_found && !WhyNoFlags.empty()) {
    clang::DiagnosticStorage Parts;
    HandleDiagnostic(clang::DiagnosticsEngine::Note, {Engine, First.getLocation(), First.getID(), Parts, WhyNoFlags});
    WhyNoFlags.clear();
  }
  Telling = false;
}

void CompilerErrors::tell(const clang::SourceManager& Sources, clang::SourceRange Range) {
  const auto LineOf = [&](clang::SourceLocation Place) { return Sources.getSpellingLineNumber(Sources.getFileLoc(Place)); };
  const clang::FileID File = Sources.getFileID(Sources.getFileLoc(Range.getBegin()));
  const unsigned FirstLine = LineOf(Range.getBegin()), LastLine = LineOf(Range.getEnd());
  for (Held& Error : Errors) {
    const clang::StoredDiagnostic& First = Error.ErrorAndNotes.front();
    const clang::SourceLocation Where = Sources.getFileLoc(First.getLocation());
    const unsigned Line = Where.isValid() && Sources.getFileID(Where) == File ? LineOf(Where) : 0;
    if ((FirstLine <= Line && Line <= LastLine) || First.getID() == clang::diag::err_pp_file_not_found) {
      tell(Error);
    }
  }
}

const clang::StoredDiagnostic* CompilerErrors::firstIn(const clang::SourceManager& Sources, clang::SourceRange Range) const {
  const auto [File, Begin] = Sources.getDecomposedLoc(Sources.getFileLoc(Range.getBegin()));
  const auto [LastFile, End] = Sources.getDecomposedLoc(Sources.getFileLoc(Range.getEnd()));
  const clang::StoredDiagnostic* First = nullptr;
  unsigned FirstPlace = End;
  for (const Held& Error : Errors) {
    const clang::SourceLocation Where = Sources.getFileLoc(Error.ErrorAndNotes.front().getLocation());
    const auto [ItsFile, Place] = Where.isValid() ? Sources.getDecomposedLoc(Where) : std::pair<clang::FileID, unsigned>();
    const bool IsOfInstance = llvm::any_of(
        Error.ErrorAndNotes, [](const clang::StoredDiagnostic& Each) { return Each.getMessage().starts_with("in instantiation of"); });
    if (ItsFile == File && File == LastFile && Begin <= Place && Place <= FirstPlace && !IsOfInstance) {
      First = &Error.ErrorAndNotes.front();
      FirstPlace = Place;
    }
  }
  return First;
}

bool CompilerErrors::tellFirst(const clang::SourceManager& Sources, clang::SourceLocation Begin) {
  const clang::SourceLocation Start = Sources.getFileLoc(Begin);
  bool Found = false;
  for (Held& Error : Errors) {
    const clang::StoredDiagnostic& First = Error.ErrorAndNotes.front();
    const clang::SourceLocation Where = Sources.getFileLoc(First.getLocation());
    const bool After = !Found && Where.isValid() && !Sources.isBeforeInTranslationUnit(Where, Start);
    Found |= After;
    if (After || First.getID() == clang::diag::err_pp_file_not_found) {
      tell(Error);
    }
  }
  return llvm::any_of(Errors, [](const Held& Each) { return Each.Told; });
}

}  // namespace graphgen::scan
