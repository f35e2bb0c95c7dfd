// SPDX-License-Identifier: Apache-2.0
//
// Sets up the front end so that errors of the file's own, missing includes among them, do not keep annotated declarations from being read.
#include "scan/ScanFile.h"

#include "scan/Definitions.h"
#include "scan/GeneratedHeaders.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/SemaConsumer.h"
#include "clang/Tooling/Tooling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {
namespace {

class Dependencies : public clang::DependencyCollector {
 public:
  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef File, bool, bool, bool, bool) override { return !File.starts_with("<") && !isGeneratedHeader(File); }
};

struct Session {
  Session(const ScanRequest& Request, const Handler& Handle, CompilerErrors& Compiler)
      : Request(Request), Handle(Handle), Compiler(Compiler) {}

  const ScanRequest& Request;
  const Handler& Handle;
  CompilerErrors& Compiler;
  std::shared_ptr<Dependencies> Read = std::make_shared<Dependencies>();
  MacroTexts Texts;
  bool Ok = false;
};

class Consumer : public clang::SemaConsumer {
 public:
  explicit Consumer(Session& S) : S(S) {}

  void InitializeSema(clang::Sema& Ready) override { Sema = &Ready; }
  void ForgetSema() override { Sema = nullptr; }

  void HandleTranslationUnit(clang::ASTContext& Context) override {
    Reporter Report(Context.getDiagnostics());
    const std::vector<ScannedCallable> Callables = S.Request.DefinitionsOnly
                                                       ? scanDefinitions(Context, S.Texts, Report)
                                                       : scanTranslationUnit(*Sema, S.Texts, S.Request.File, S.Compiler, Report);
    S.Handle(Callables, Report);
    S.Ok = Report.errors() == 0;
  }

 private:
  Session& S;
  clang::Sema* Sema = nullptr;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(Session& S) : S(S) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& Compiler, llvm::StringRef) override {
    clang::Preprocessor& PP = Compiler.getPreprocessor();
    PP.addPPCallbacks(recordMacroTexts(PP, S.Texts));
    PP.addPPCallbacks(skipMissingGeneratedHeaders());
    return std::make_unique<Consumer>(S);
  }

 private:
  Session& S;
};

class Invocation : public clang::tooling::ToolAction {
 public:
  explicit Invocation(Session& S) : S(S) {}

  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> Parsed, clang::FileManager* Files,
                     std::shared_ptr<clang::PCHContainerOperations> Containers, clang::DiagnosticConsumer* Consumer) override {
    Parsed->getFrontendOpts().DisableFree = false;
    // A declaration whose misspelt type was guessed is not what the compiler will see.
    Parsed->getLangOpts().SpellChecking = false;
    clang::CompilerInstance Compiler(std::move(Parsed), std::move(Containers));
    Compiler.setVerboseOutputStream(llvm::nulls());
    Compiler.setFileManager(Files);
    Compiler.setVirtualFileSystem(Files->getVirtualFileSystemPtr());
    Compiler.createDiagnostics(Consumer, /*ShouldOwnClient=*/false);
    Compiler.getDiagnostics().setErrorLimit(0);
    Compiler.getDiagnostics().setFatalsAsError(true);
    Compiler.createSourceManager();
    Compiler.addDependencyCollector(S.Read);
    Action Scan(S);
    Compiler.ExecuteAction(Scan);
    return true;
  }

 private:
  Session& S;
};

std::vector<std::string> absolute(llvm::ArrayRef<std::string> Paths, llvm::vfs::FileSystem& Files) {
  std::vector<std::string> Result;
  for (llvm::StringRef Path : Paths) {
    llvm::SmallString<256> Full(Path);
    Files.makeAbsolute(Full);
    llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/false);
    Result.push_back(Full.str().str());
  }
  return Result;
}

}  // namespace

ScanOutcome scanFile(const ScanRequest& Request, const Handler& Handle) {
  std::vector<const char*> Arguments;
  for (const std::string& Argument : Request.CommandLine) {
    Arguments.push_back(Argument.c_str());
  }
  const std::unique_ptr<clang::DiagnosticOptions> Options = clang::CreateAndPopulateDiagOpts(Arguments);
  clang::TextDiagnosticPrinter Printer(llvm::errs(), *Options);
  CompilerErrors Compiler(Printer);
  Session S(Request, Handle, Compiler);
  Invocation Run(S);
  auto Files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), Request.Files);
  clang::tooling::ToolInvocation Tool(Request.CommandLine, &Run, Files.get(), std::make_shared<clang::PCHContainerOperations>());
  Tool.setDiagnosticConsumer(&Compiler);
  Tool.setDiagnosticOptions(Options.get());
  const bool Ran = Tool.run();
  return {Ran && S.Ok, absolute(S.Read->getDependencies(), *Request.Files)};
}

}  // namespace graphgen::scan
