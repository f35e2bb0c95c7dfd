// SPDX-License-Identifier: Apache-2.0
//
// By the option's setter, or a first argument `true` of those whose only option it is; in a Sequential by what comes first.
#include "check/calls/InplaceOptions.h"

#include "check/calls/FoundModules.h"
#include "check/calls/ModuleRuns.h"
#include "check/code/GivenArguments.h"
#include "check/code/KnownCalls.h"
#include "check/code/Library.h"
#include "check/code/TensorCalls.h"

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

/// Also where it names a local variable that was made so.
bool saysInplace(const clang::Stmt& S, bool FollowsNames = true) {
  const auto* Name = FollowsNames ? llvm::dyn_cast<clang::DeclRefExpr>(&S) : nullptr;
  const clang::Stmt& Said = Name ? originOf(*Name) : S;
  const KnownCall Call = knownCall(Said);
  return (Call && setsOption(Call)) ||
         llvm::any_of(Said.children(), [&](const clang::Stmt* Each) { return Each && saysInplace(*Each, FollowsNames && !Name); });
}

bool isFunctional(const clang::FunctionDecl& F) {
  const auto* Namespace = llvm::dyn_cast<clang::NamespaceDecl>(F.getDeclContext()->getRedeclContext());
  return Namespace && Namespace->getName() == "functional";
}

llvm::StringRef nameOf(const HeldModule& Module) {
  llvm::StringRef Name = isOfLibrary(*Module.Class) ? Module.Class->getName() : "";
  Name.consume_back("Impl");
  return Name;
}

/// Gives its input, or a view of it.
bool handsOn(llvm::StringRef Module) { return isDropout(Module) || llvm::is_contained({"Identity", "Flatten", "Unflatten"}, Module); }

/// Of modules that run one after the other: the one that writes the input of the first.
InplaceRun firstWriting(const ModuleRun& Run, llvm::ArrayRef<HeldModule> Modules, bool IsSure) {
  InplaceRun Found;
  for (const HeldModule& Each : Modules) {
    const llvm::StringRef Name = nameOf(Each);
    if (hasOption(Name) && saysInplace(*Each.Made)) {
      const bool IsAlways = IsSure && !isDropout(Name);
      Found = Found && !IsAlways ? Found : InplaceRun{Run.Arguments[0], Name, Run.Where, IsAlways};
    } else if (!handsOn(Name)) {
      break;
    } else {
      IsSure = IsSure && Name == "Identity";
    }
  }
  return Found;
}

/// What is put into it runs first where nothing is made with it.
InplaceRun runWithin(const ModuleRun& Run, const UnitIndex& Index) {
  const HeldModules Held = modulesWithin(Run, Index);
  const auto Making = llvm::count_if(Held.Made, [](const std::vector<HeldModule>& Each) { return !Each.empty(); });
  InplaceRun Found = Making == 0 ? firstWriting(Run, Held.Put, false) : InplaceRun();
  for (const std::vector<HeldModule>& Each : Held.Made) {
    Found = Found ? Found : firstWriting(Run, Each, Making == 1);
  }
  return Found;
}

/// One of several: whether that which is run writes nobody knows.
InplaceRun runOfElement(const ModuleRun& Run, const UnitIndex& Index) {
  for (const HeldModule& Each : Run.Class == "Sequential" ? std::vector<HeldModule>() : modulesFound(Run, Index)) {
    if (hasOption(nameOf(Each)) && saysInplace(*Each.Made)) {
      return {Run.Arguments[0], nameOf(Each), Run.Where, false};
    }
  }
  return {};
}

InplaceRun runOfModule(const ModuleRun& Run, const UnitIndex& Index) {
  const llvm::StringRef Class = libraryClass(Run.Module->getType());
  const bool IsInplace = hasOption(Class) && llvm::any_of(valuesOf(Run, Index), [](const clang::Expr* Each) { return saysInplace(*Each); });
  if (IsInplace) {
    return {Run.Arguments[0], Class, Run.Where, !isDropout(Class)};
  }
  const InplaceRun Element = runOfElement(Run, Index);
  return Element ? Element : runWithin(Run, Index);
}

}  // namespace

InplaceRun inplaceRun(const clang::Stmt& S, const UnitIndex& Index) {
  if (const ModuleRun Run = moduleRun(S)) {
    return Run.Arguments.empty() ? InplaceRun() : runOfModule(Run, Index);
  }
  const KnownCall Call = knownCall(S);
  const bool IsInplace = Call && Call.Arguments.size() == 2 && isFunctional(*Call.Function) && saysInplace(originOf(*Call.Arguments[1]));
  return IsInplace ? InplaceRun{Call.Arguments[0], Call.Name, Call.Where, !isDropout(Call.Name)} : InplaceRun();
}

}  // namespace graphgen::check
