// SPDX-License-Identifier: Apache-2.0
//
// Errors of the file's own, missing includes among them, do not keep annotated declarations from being read.
#include "scan/FrontEnd.h"

#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/Utils.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace graphgen::scan {

bool FrontEnd::run(clang::FrontendAction& Action, clang::DiagnosticConsumer& Diagnostics, std::shared_ptr<clang::DependencyCollector> Read,
                   Adjust AdjustInvocation) const {
  auto Own = std::make_shared<clang::CompilerInvocation>(Invocation);
  Own->getFrontendOpts().DisableFree = false;
  // A declaration whose misspelt type was guessed is not what the compiler will see.
  Own->getLangOpts().SpellChecking = false;
  Own->getFrontendOpts().SkipFunctionBodies = true;  // which of them, the action's consumer says: shouldSkipFunctionBody
  AdjustInvocation(*Own);
  clang::CompilerInstance Compiler(std::move(Own));
  Compiler.setVerboseOutputStream(llvm::nulls());
  Compiler.setFileManager(&Files);
  Compiler.setVirtualFileSystem(Files.getVirtualFileSystemPtr());
  Compiler.createDiagnostics(&Diagnostics, /*ShouldOwnClient=*/false);
  Compiler.getDiagnostics().setErrorLimit(0);
  Compiler.getDiagnostics().setFatalsAsError(true);
  Compiler.createSourceManager();
  if (Read) {
    Compiler.addDependencyCollector(std::move(Read));
  }
  return Compiler.ExecuteAction(Action);
}

std::vector<std::string> absolute(llvm::ArrayRef<std::string> Paths, clang::FileManager& Files) {
  std::vector<std::string> Result;
  for (llvm::StringRef Path : Paths) {
    llvm::SmallString<256> Full(Path);
    Files.getVirtualFileSystem().makeAbsolute(Full);
    llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/false);
    Result.push_back(Full.str().str());
  }
  return Result;
}

}  // namespace graphgen::scan
