// SPDX-License-Identifier: Apache-2.0
//
// From a parsed file to its callables, each bound to an annotation.
#pragma once

#include "scan/Bodies.h"
#include "scan/CompilerErrors.h"
#include "scan/Finder.h"
#include "scan/Macros.h"
#include "scan/Reporter.h"

#include "annotation/Callable.h"

#include "llvm/Support/PrettyStackTrace.h"

#include <functional>
#include <memory>
#include <vector>

namespace clang {
class FunctionDecl;
class Sema;
}  // namespace clang

namespace graphgen::scan {

struct WatchedPlaces;

/// One callable of the file, with what checks may want to look at.
struct ScannedCallable {
  const clang::FunctionDecl* Declaration;
  const MacroText* Text;
  annotation::Callable Callable;
  bool IsRefused;                                          // after complaining: its body can be looked at, and no code is generated
  std::shared_ptr<const WatchedPlaces> Watched = nullptr;  // null while it is scanned
};

/// The callables of a file whose annotations can be read; `Report` has complained about the others. The AST is alive.
using Handler =
    std::function<void(llvm::ArrayRef<ScannedCallable> Callables, const Bodies& Bodies, const Macros& Macros, Reporter& Report)>;

/// Those that the file annotates.
std::vector<ScannedCallable> scanTranslationUnit(clang::Sema& Sema, const MacroTexts& Texts, CompilerErrors& Compiler, Reporter& Report);

/// Those that headers annotate and the file, a source, defines. Nothing is reported of their annotations: the headers' own scans do.
std::vector<ScannedCallable> scanDefinitions(clang::Sema& Sema, const MacroTexts& Texts, const Bodies& Known);

/// Names the callable in hand if graphgen crashes.
class CallableInHand : public llvm::PrettyStackTraceEntry {
 public:
  explicit CallableInHand(const clang::NamedDecl& D) : D(D) {}
  void print(llvm::raw_ostream& Stream) const override;

 private:
  const clang::NamedDecl& D;
};

}  // namespace graphgen::scan
