// SPDX-License-Identifier: Apache-2.0
//
// From a parsed file to its callables.
#pragma once

#include "scan/Bodies.h"
#include "scan/CompilerErrors.h"
#include "scan/Finder.h"
#include "scan/Macros.h"
#include "scan/Reporter.h"

#include "annotation/Callable.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <functional>
#include <vector>

namespace clang {
class FunctionDecl;
class Sema;
}  // namespace clang

namespace graphgen::scan {

/// One callable of the file, with what checks may want to look at.
struct ScannedCallable {
  const clang::FunctionDecl* Declaration;
  const MacroText* Text;
  annotation::Callable Callable;
};

/// The callables of a file whose annotations and declarations can be read; `Report` has complained about the others. The AST is alive.
using Handler =
    std::function<void(llvm::ArrayRef<ScannedCallable> Callables, const Bodies& Bodies, const Macros& Macros, Reporter& Report)>;

/// `File` is how generated code names the file.
std::vector<ScannedCallable> scanTranslationUnit(clang::Sema& Sema, const MacroTexts& Texts, llvm::StringRef File, CompilerErrors& Compiler,
                                                 Reporter& Report);

/// Names the callable in hand if graphgen crashes.
class CallableInHand : public llvm::PrettyStackTraceEntry {
 public:
  explicit CallableInHand(const clang::NamedDecl& D) : D(D) {}
  void print(llvm::raw_ostream& Stream) const override;

 private:
  const clang::NamedDecl& D;
};

}  // namespace graphgen::scan
