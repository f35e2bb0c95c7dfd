// SPDX-License-Identifier: Apache-2.0
//
// With a precompiled header the file counts as the beginning of a translation unit, so that no template's body is instantiated at its end.
#include "scan/Pass.h"

#include "scan/FrontEnd.h"
#include "scan/GeneratedHeaders.h"
#include "scan/HelpLines.h"
#include "scan/Libraries.h"
#include "scan/OwnHeader.h"
#include "scan/Precompile.h"
#include "scan/Recorder.h"
#include "scan/Roots.h"
#include "scan/WatchedMembers.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/SemaConsumer.h"

namespace graphgen::scan {
namespace {

class PassDependencies : public clang::DependencyCollector {
 public:
  /// What a precompiled header was made from is known from elsewhere.
  void attachToASTReader(clang::ASTReader&) override {}
  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef File, bool, bool, bool, bool) override {
    return !File.starts_with("<") && !isGeneratedHeader(File) && !isRootFile(File);
  }
};

class Consumer : public clang::SemaConsumer {
 public:
  Consumer(const PassRequest& Request, const MacroTexts& Texts, const clang::SourceLocation& Inclusion, CompilerErrors& Compiler,
           PassResult& Result)
      : Request(Request), Texts(Texts), Inclusion(Inclusion), Compiler(Compiler), Result(Result) {}

  void InitializeSema(clang::Sema& Ready) override { Sema = &Ready; }
  void ForgetSema() override { Sema = nullptr; }
  bool shouldSkipFunctionBody(clang::Decl* D) override { return isBodyNeverRead(*D); }

  void HandleTranslationUnit(clang::ASTContext& Context) override {
    if (!isAtEnd()) {
      return;
    }
    Compiler.reachEnd();
    Reporter Report(Context.getDiagnostics());
    const Bodies Found(*Sema, Compiler);
    std::vector<ScannedCallable> Callables =
        Request.DefinitionsOnly ? scanDefinitions(*Sema, Texts, Found) : scanTranslationUnit(*Sema, Texts, Compiler, Report);
    if (!Request.DefinitionsOnly) {
      refuseEarlyInclusion(Sema->SourceMgr, Inclusion, Callables, Report);
    }
    addWatchedPlaces(Callables, Found);
    const bool IsHeader = Sema->getLangOpts().IsHeaderFile;
    Request.Handle(Callables, Found, Macros(Sema->PP, IsHeader ? clang::SourceLocation() : Inclusion), Report);
    Result.Ok = Report.errors() == 0;
    Result.IsPlainPassNeeded = false;
  }

 private:
  /// Some errors make the compiler's front end leave the rest of the file unread.
  bool isAtEnd() const { return !Sema->PP.getCurrentFileLexer() && !Sema->PP.getModuleLoader().HadFatalFailure; }

  const PassRequest& Request;
  const MacroTexts& Texts;
  const clang::SourceLocation& Inclusion;
  CompilerErrors& Compiler;
  PassResult& Result;
  clang::Sema* Sema = nullptr;
};

class PassAction : public clang::ASTFrontendAction {
 public:
  PassAction(const PassRequest& Request, CompilerErrors& Compiler, clang::TranslationUnitKind Kind, PassResult& Result)
      : Request(Request), Compiler(Compiler), Kind(Kind), Result(Result) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return Kind; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& Instance, llvm::StringRef) override {
    clang::Preprocessor& PP = Instance.getPreprocessor();
    PP.addPPCallbacks(recordMacroTexts(PP, Texts));
    PP.addPPCallbacks(skipMissingGeneratedHeaders());
    PP.addPPCallbacks(findOwnHeader(PP.getSourceManager(), PP.getLangOpts().IsHeaderFile, Inclusion));
    return std::make_unique<Consumer>(Request, Texts, Inclusion, Compiler, Result);
  }

 private:
  const PassRequest& Request;
  CompilerErrors& Compiler;
  clang::TranslationUnitKind Kind;
  PassResult& Result;
  MacroTexts Texts;
  clang::SourceLocation Inclusion;  // of the generated header
};

}  // namespace

PassResult runPass(const FrontEnd& Compiler, const PassRequest& Request, const PrecompiledHeader* Header) {
  PassResult Result;
  Result.IsPlainPassNeeded = Header != nullptr;
  llvm::raw_ostream& Stream = Request.Diagnostics ? *Request.Diagnostics : llvm::nulls();
  clang::TextDiagnosticPrinter Printer(Stream, Request.Options);
  HelpLines Helped(Printer, Stream, Request.Explained);
  Recorder Record(Request.Diagnostics ? &Helped : nullptr);
  CompilerErrors Errors(Record, Request.WhyNoFlags);
  const auto Read = std::make_shared<PassDependencies>();
  PassAction Scan(Request, Errors, Header ? clang::TU_Prefix : clang::TU_Complete, Result);
  Compiler.run(Scan, Errors, Read, [&](clang::CompilerInvocation& Invocation) {
    if (Header) {
      Invocation.getPreprocessorOpts().ImplicitPCHInclude = Header->Path;
    }
  });
  Result.Read = absolute(Read->getDependencies(), Compiler.files());
  if (Header) {
    Result.IsPlainPassNeeded |= Errors.isPlainScanNeeded();
    Result.Read.insert(Result.Read.end(), Header->Files.begin(), Header->Files.end());
  }
  Result.Told = Record.take();
  return Result;
}

}  // namespace graphgen::scan
