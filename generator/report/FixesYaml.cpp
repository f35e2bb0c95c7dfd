// SPDX-License-Identifier: Apache-2.0
//
// By Clang's own serialization.
#include "report/FixesYaml.h"

#include "clang/Tooling/DiagnosticsYaml.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::report {
namespace {

namespace tooling = clang::tooling;

tooling::DiagnosticMessage message(const std::string& Text, const std::optional<Region>& Where, llvm::ArrayRef<Edit> Fix) {
  tooling::DiagnosticMessage Result(Text);
  Result.FileOffset = 0;
  if (Where) {
    Result.FilePath = Where->File;
    Result.FileOffset = Where->Offset;
  }
  for (const Edit& Each : Fix) {
    const tooling::Replacement New(Each.Where.File, Each.Where.Offset, Each.Where.Length, Each.Text);
    if (llvm::Error Overlap = Result.Fix[Each.Where.File].add(New)) {
      llvm::consumeError(std::move(Overlap));  // half a fix is none
      Result.Fix.clear();
      break;
    }
  }
  return Result;
}

}  // namespace

std::string toYaml(const Report& Told, const std::string& MainFile, const std::string& Folder) {
  tooling::TranslationUnitDiagnostics Document;
  Document.MainSourceFile = MainFile;
  EditsSeen Seen;
  for (const Message& Each : Told.Messages) {
    const std::vector<Edit>* Fix = fixOf(Each);
    std::vector<Edit> New;
    llvm::copy_if(Fix ? llvm::ArrayRef(*Fix) : llvm::ArrayRef<Edit>(), std::back_inserter(New),
                  [&](const Edit& E) { return Seen.isNew(E); });
    llvm::SmallVector<tooling::DiagnosticMessage, 1> Notes;
    for (const Note& N : Each.Notes) {
      Notes.push_back(message(N.Text, N.Where, Fix == &N.Fix ? llvm::ArrayRef(New) : llvm::ArrayRef<Edit>()));
    }
    const auto Level = Each.Severity == Level::Error ? tooling::Diagnostic::Error : tooling::Diagnostic::Warning;
    Document.Diagnostics.emplace_back(
        Each.Id, message(Each.Text, Each.Where, Fix == &Each.Fix ? llvm::ArrayRef(New) : llvm::ArrayRef<Edit>()), Notes, Level, Folder);
  }
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::yaml::Output Out(Stream);
  Out << Document;
  return Text;
}

}  // namespace graphgen::report
