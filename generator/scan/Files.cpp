// SPDX-License-Identifier: Apache-2.0
#include "scan/Files.h"

#include "scan/HelpLines.h"
#include "scan/Recorder.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"

#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {

clang::SourceLocation locate(clang::SourceManager& Sources, llvm::StringRef Path, unsigned Line, unsigned Column) {
  const clang::OptionalFileEntryRef File = Sources.getFileManager().getOptionalFileRef(Path);
  if (!File || Line == 0 || Column == 0) {
    return {};
  }
  const clang::FileID Id = Sources.getOrCreateFileID(*File, clang::SrcMgr::C_User);
  return Sources.translateLineCol(Id, Line, Column);
}

report::Report tellOfFiles(bool Prints, const std::set<std::string>& Explained,
                           llvm::function_ref<void(clang::SourceManager&, Reporter&)> Tell) {
  const std::unique_ptr<clang::DiagnosticOptions> Options = clang::CreateAndPopulateDiagOpts({"clang++"});
  clang::TextDiagnosticPrinter Printer(llvm::errs(), *Options);
  HelpLines Helped(Printer, llvm::errs(), Explained);
  Recorder Record(Prints ? &Helped : nullptr);
  clang::DiagnosticsEngine Engine(clang::DiagnosticIDs::create(), *Options, &Record, /*ShouldOwnClient=*/false);
  clang::FileManager Files{clang::FileSystemOptions()};
  clang::SourceManager Sources(Engine, Files);
  clang::LangOptions Language;
  Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus17 = true;
  Record.BeginSourceFile(Language, nullptr);
  Reporter Report(Engine);
  Tell(Sources, Report);
  Record.EndSourceFile();
  return Record.take();
}

}  // namespace graphgen::scan
