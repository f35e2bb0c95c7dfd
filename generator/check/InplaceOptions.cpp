// SPDX-License-Identifier: Apache-2.0
//
// By the option's setter, or a first argument `true` of those whose only option it is.
#include "check/InplaceOptions.h"

#include "check/GivenArguments.h"
#include "check/KnownCalls.h"
#include "check/ModuleRuns.h"
#include "check/TensorCalls.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

bool isDropout(llvm::StringRef Name) { return Name.contains_insensitive("dropout"); }

bool hasOption(llvm::StringRef Module) {
  return isDropout(Module) || llvm::StringSwitch<bool>(Module)
                                  .Cases({"ReLU", "ReLU6", "LeakyReLU", "RReLU", "ELU", "SELU", "CELU", "Hardtanh", "Threshold"}, true)
                                  .Default(false);
}

bool setsOption(const KnownCall& Call) {
  const bool IsSetter = Call.Name == "inplace" && Call.Class.ends_with("Options");
  const bool IsMade = llvm::StringSwitch<bool>(Call.Class)
                          .Cases({"ReLU", "ReLU6", "SELU", "ReLUOptions", "ReLU6Options", "SELUOptions"}, true)
                          .Default(false);
  return (IsSetter || (IsMade && Call.Name == Call.Class)) && !Call.Arguments.empty() && isTrue(Call.Arguments[0]);
}

bool saysInplace(const clang::Stmt& S) {
  const KnownCall Call = knownCall(S);
  return (Call && setsOption(Call)) || llvm::any_of(S.children(), [](const clang::Stmt* Each) { return Each && saysInplace(*Each); });
}

bool isFunctional(const clang::FunctionDecl& F) {
  const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(F.getDeclContext()->getRedeclContext());
  return Namespace && Namespace->getName() == "functional";
}

}  // namespace

InplaceRun inplaceRun(const clang::Stmt& S, const UnitIndex& Index) {
  if (const ModuleRun Run = moduleRun(S)) {
    const llvm::StringRef Class = libraryClass(Run.Module->getType());
    const bool IsInplace = hasOption(Class) && !Run.Arguments.empty() &&
                           llvm::any_of(valuesOf(Run, Index), [](const clang::Expr* Each) { return saysInplace(*Each); });
    return IsInplace ? InplaceRun{Run.Arguments[0], Class, Run.Where, !isDropout(Class)} : InplaceRun();
  }
  const KnownCall Call = knownCall(S);
  const bool IsInplace = Call && Call.Arguments.size() == 2 && isFunctional(*Call.Function) && saysInplace(originOf(*Call.Arguments[1]));
  return IsInplace ? InplaceRun{Call.Arguments[0], Call.Name, Call.Where, !isDropout(Call.Name)} : InplaceRun();
}

}  // namespace graphgen::check
