// SPDX-License-Identifier: Apache-2.0
//
// Clang's front end, set up for reading.
#pragma once

#include "clang/Frontend/CompilerInvocation.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
class DependencyCollector;
class DiagnosticConsumer;
class FileManager;
class FrontendAction;
}  // namespace clang

namespace graphgen::scan {

/// Of one file: `Invocation` is copied for each run, so that one parsed command line serves several.
class FrontEnd {
 public:
  FrontEnd(const clang::CompilerInvocation& Invocation, clang::FileManager& Files) : Invocation(Invocation), Files(Files) {}

  using Adjust = llvm::function_ref<void(clang::CompilerInvocation&)>;

  /// `Read` may be null. False where the action failed.
  bool run(clang::FrontendAction& Action, clang::DiagnosticConsumer& Diagnostics, std::shared_ptr<clang::DependencyCollector> Read,
           Adjust AdjustInvocation) const;

  const clang::CompilerInvocation& invocation() const { return Invocation; }
  clang::FileManager& files() const { return Files; }

 private:
  const clang::CompilerInvocation& Invocation;
  clang::FileManager& Files;
};

/// `Paths` from the working folder of `Files`, without "./".
std::vector<std::string> absolute(llvm::ArrayRef<std::string> Paths, clang::FileManager& Files);

}  // namespace graphgen::scan
