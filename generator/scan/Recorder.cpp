// SPDX-License-Identifier: Apache-2.0
//
// Places in macros are reported as Clang prints them: where the text was written, else where the macro is used.
#include "scan/Recorder.h"

#include "scan/Reporter.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphgen::scan {
namespace {

/// In the form that inputs are named: without . and .., links kept.
std::string absolutePath(const clang::SourceManager& Sources, clang::FileID File) {
  const clang::OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
  if (!Entry) {
    return {};
  }
  llvm::SmallString<256> Path(Entry->getName());
  Sources.getFileManager().makeAbsolutePath(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

report::Position position(const clang::SourceManager& Sources, clang::FileID File, unsigned Offset) {
  report::Position Result;
  Result.Line = Sources.getLineNumber(File, Offset);
  Result.Column = Sources.getColumnNumber(File, Offset);
  const llvm::StringRef Before = Sources.getBufferData(File).slice(Offset - (Result.Column - 1), Offset);
  const auto IsContinuation = [](char C) { return (static_cast<unsigned char>(C) & 0xC0U) == 0x80U; };
  Result.Character = Result.Column - static_cast<unsigned>(llvm::count_if(Before, IsContinuation));
  return Result;
}

/// Nothing for what a macro put together from several places.
std::optional<report::Region> regionOf(const clang::SourceManager& Sources, const clang::LangOptions& Language,
                                       clang::CharSourceRange Range) {
  const clang::CharSourceRange InFile = clang::Lexer::makeFileCharRange(Range, Sources, Language);
  if (InFile.isInvalid()) {
    return std::nullopt;
  }
  const auto [File, Begin] = Sources.getDecomposedLoc(InFile.getBegin());
  const std::string Path = absolutePath(Sources, File);
  if (Path.empty()) {
    return std::nullopt;
  }
  const unsigned End = Sources.getFileOffset(InFile.getEnd());
  return report::Region{Path, Begin, End - Begin, position(Sources, File, Begin), position(Sources, File, End)};
}

/// In which the diagnostic's caret stands, without the blanks around it.
std::string lineOf(const clang::Diagnostic& Info) {
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid()) {
    return {};
  }
  const clang::SourceManager& Sources = Info.getSourceManager();
  const auto [File, Offset] = Sources.getDecomposedLoc(Sources.getFileLoc(Info.getLocation()));
  const llvm::StringRef Text = Sources.getBufferData(File);
  const size_t Begin = Text.take_front(Offset).rfind('\n') + 1;
  return Text.slice(Begin, Text.find('\n', Offset)).trim().str();
}

std::string textOf(const clang::Diagnostic& Info) {
  llvm::SmallString<256> Text;
  Info.FormatDiagnostic(Text);
  return Text.str().str();
}

}  // namespace

void Recorder::BeginSourceFile(const clang::LangOptions& Options, const clang::Preprocessor* PP) {
  Language = Options;
  if (Printer) {
    Printer->BeginSourceFile(Options, PP);
  }
}

void Recorder::EndSourceFile() {
  if (Printer) {
    Printer->EndSourceFile();
  }
}

void Recorder::HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Printer) {
    Printer->HandleDiagnostic(Level, Info);
  }
  if (Level == clang::DiagnosticsEngine::Note) {
    if (!Told.Messages.empty() && !Reporter::isInTextAlone(Info)) {
      Told.Messages.back().Notes.push_back({region(Info), textOf(Info), Reporter::isCall(Info), edits(Info)});
    }
    return;
  }
  report::Message New;
  const Reporter::Told Own = Reporter::split(Info);
  New.Id = Own.Id.empty() ? "clang-diagnostic-error" : Own.Id;
  New.Text = Own.Id.empty() ? textOf(Info) : Own.Message;
  New.Severity = Level >= clang::DiagnosticsEngine::Error ? report::Level::Error : report::Level::Warning;
  New.Where = region(Info);
  New.Line = lineOf(Info);
  New.Fix = edits(Info);
  Told.Messages.push_back(std::move(New));
}

/// From the caret: what is highlighted there, else the token.
std::optional<report::Region> Recorder::region(const clang::Diagnostic& Info) const {
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid()) {
    return std::nullopt;
  }
  const clang::SourceManager& Sources = Info.getSourceManager();
  const clang::SourceLocation Caret = Sources.getFileLoc(Info.getLocation());
  for (const clang::CharSourceRange& Each : Info.getRanges()) {
    if (Sources.getFileLoc(Each.getBegin()) == Caret) {
      if (std::optional<report::Region> Highlighted = regionOf(Sources, Language, Each)) {
        return Highlighted;
      }
    }
  }
  return regionOf(Sources, Language, clang::CharSourceRange::getTokenRange(Caret, Caret));
}

/// All of them, or none where one has no place in a file.
std::vector<report::Edit> Recorder::edits(const clang::Diagnostic& Info) {
  std::vector<report::Edit> Result;
  for (const clang::FixItHint& Each : Info.getFixItHints()) {
    const clang::SourceManager& Sources = Info.getSourceManager();
    const std::optional<report::Region> Where = regionOf(Sources, Language, Each.RemoveRange);
    if (!Where || !Each.InsertFromRange.isInvalid()) {
      return {};
    }
    const clang::FileID File = Sources.getFileID(Sources.getFileLoc(Each.RemoveRange.getBegin()));
    Told.Sources.try_emplace(Where->File, Sources.getBufferData(File));
    Result.push_back({*Where, Each.CodeToInsert});
  }
  return Result;
}

}  // namespace graphgen::scan
