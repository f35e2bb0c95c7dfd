// SPDX-License-Identifier: Apache-2.0
//
// Clang's driver reads the command line once, for all passes.
#include "scan/ScanFile.h"

#include "scan/CompilesAlone.h"
#include "scan/FrontEnd.h"
#include "scan/Pass.h"
#include "scan/Preamble.h"
#include "scan/Recorder.h"
#include "scan/Roots.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Tooling.h"

#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {
namespace {

/// Adds the time until it is destroyed.
class Timer {
 public:
  explicit Timer(ScanTimes::Duration& Sum) : Sum(Sum) {}
  ~Timer() { Sum += std::chrono::steady_clock::now() - Begin; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  ScanTimes::Duration& Sum;
  std::chrono::steady_clock::time_point Begin = std::chrono::steady_clock::now();
};

class Scan : public clang::tooling::ToolAction {
 public:
  Scan(const ScanRequest& Request, const Handler& Handle, clang::DiagnosticOptions& Options)
      : Request(Request), Handle(Handle), Options(Options) {}

  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> Parsed, clang::FileManager* Files,
                     std::shared_ptr<clang::PCHContainerOperations>, clang::DiagnosticConsumer*) override {
    const FrontEnd Compiler(*Parsed, *Files);
    if (const PrecompiledHeader* Header = Request.Headers ? findHeader(Compiler) : nullptr; !Header || !runPrecompiled(Compiler, *Header)) {
      runPlain(Compiler);
    }
    return true;
  }

  ScanOutcome Outcome;

 private:
  const PrecompiledHeader* findHeader(const FrontEnd& Compiler);
  bool runPrecompiled(const FrontEnd& Compiler, const PrecompiledHeader& Header);
  void runPlain(const FrontEnd& Compiler) {
    const Timer Time(Outcome.Times.Plain);
    take(runPass(Compiler, pass(llvm::errs()), nullptr));
  }
  PassRequest pass(llvm::raw_ostream& Text) const {
    return {Handle, Options, Request.Prints ? &Text : nullptr, Request.DefinitionsOnly, Request.Explained, Request.WhyNoFlags};
  }
  void take(PassResult Result) {
    Outcome.Ok = Result.Ok;
    Outcome.Dependencies = std::move(Result.Read);
    Outcome.Told = std::move(Result.Told);
  }

  const ScanRequest& Request;
  const Handler& Handle;
  clang::DiagnosticOptions& Options;
};

const PrecompiledHeader* Scan::findHeader(const FrontEnd& Compiler) {
  std::string& Why = Outcome.Times.WhyPlain;
  Preamble Before;
  {
    const Timer Time(Outcome.Times.Preamble);
    Before = readPreamble(Compiler);
  }
  const Timer Time(Outcome.Times.Header);
  Why = whyOutOfOrder(Before, nullptr);
  if (!Why.empty()) {
    return nullptr;
  }
  const PrecompiledHeader* Header = Request.Headers->find(Compiler, Before.Root, Outcome.Times.HeaderIsNew, Why);
  if (Header) {
    Why = whyOutOfOrder(Before, Header);
  }
  if (Header && Why.empty() && hasDeclarations(Before, *Header) && !compilesAlone(Compiler)) {
    Why = "the text before <" + Before.Root + "> does not compile without it";
  }
  return Why.empty() ? Header : nullptr;
}

/// False where a pass without it may report something else.
bool Scan::runPrecompiled(const FrontEnd& Compiler, const PrecompiledHeader& Header) {
  const Timer Time(Outcome.Times.Precompiled);
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  Stream.enable_colors(true);
  PassResult Result = runPass(Compiler, pass(Stream), &Header);
  if (Result.IsPlainPassNeeded) {
    Outcome.Times.WhyPlain = "the scan with the precompiled header has errors of the compiler to report";
    return false;
  }
  llvm::errs() << Text;
  take(std::move(Result));
  return true;
}

}  // namespace

ScanOutcome scanFile(const ScanRequest& Request, const Handler& Handle) {
  std::vector<const char*> Arguments;
  for (const std::string& Argument : Request.CommandLine) {
    Arguments.push_back(Argument.c_str());
  }
  const std::unique_ptr<clang::DiagnosticOptions> Options = clang::CreateAndPopulateDiagOpts(Arguments);
  clang::TextDiagnosticPrinter Printer(llvm::errs(), *Options);
  Recorder Record(Request.Prints ? &Printer : nullptr);
  CompilerErrors OfFlags(Record);
  Scan Run(Request, Handle, *Options);
  auto Files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), addRootFiles(Request.Files));
  clang::tooling::ToolInvocation Tool(Request.CommandLine, &Run, Files.get(), std::make_shared<clang::PCHContainerOperations>());
  Tool.setDiagnosticConsumer(&OfFlags);
  Tool.setDiagnosticOptions(Options.get());
  const bool Ran = Tool.run();
  Run.Outcome.Ok &= Ran && OfFlags.getNumErrors() == 0;
  report::Report Told = Record.take();
  Told.append(std::move(Run.Outcome.Told));
  Run.Outcome.Told = std::move(Told);
  return std::move(Run.Outcome);
}

}  // namespace graphgen::scan
