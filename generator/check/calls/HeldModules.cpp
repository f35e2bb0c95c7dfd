// SPDX-License-Identifier: Apache-2.0
//
// A module in a container's initializer is made there, or by a holder of it, or is a member that has one value.
#include "check/calls/HeldModules.h"

#include "check/calls/FoundModules.h"
#include "check/code/Library.h"
#include "check/code/Paths.h"
#include "check/code/Reassigned.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

/// NetImpl, of torch::nn::ModuleHolder<NetImpl> or a class derived from it; null where Class is none.
const clang::CXXRecordDecl* heldBy(const clang::CXXRecordDecl& Class) {
  const auto* Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&Class);
  if (Instance && isOfLibrary(Class)) {
    const bool IsHolder = Class.getName() == "ModuleHolder" || Class.getName() == "shared_ptr";
    return IsHolder ? Instance->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl() : nullptr;
  }
  if (!Class.hasDefinition()) {
    return nullptr;
  }
  for (const clang::CXXBaseSpecifier& Each : Class.bases()) {
    const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl();
    if (const clang::CXXRecordDecl* Held = Base ? heldBy(*Base) : nullptr) {
      return Held;
    }
  }
  return nullptr;
}

bool isModule(const clang::CXXRecordDecl& Class) {
  return Class.hasDefinition() && llvm::any_of(Class.bases(), [](const clang::CXXBaseSpecifier& Each) {
           const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl();
           return Base && ((isOfLibrary(*Base) && Base->getName() == "Module") || isModule(*Base));
         });
}

void addForwards(const clang::CXXRecordDecl& Module, std::vector<const clang::FunctionDecl*>& Found) {
  for (const clang::CXXMethodDecl* Each : Module.methods()) {
    if (Each->getIdentifier() && Each->getName() == "forward") {
      Found.push_back(Each);
    }
  }
}

/// Whose modules are meant where it is named.
bool isContainer(const clang::CXXRecordDecl& Module) {
  return isOfLibrary(Module) && llvm::is_contained({"SequentialImpl", "ModuleListImpl", "ModuleDictImpl"}, Module.getName());
}

/// A construction, or what LibTorch hands on: register_module("net", Sequential(...)).
bool showsItsParts(const clang::Expr& E) {
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  return Call ? Function && isOfLibrary(*Function) : llvm::isa<clang::CXXConstructExpr, clang::InitListExpr>(E);
}

class HeldModuleCollector {
 public:
  explicit HeldModuleCollector(const UnitIndex& Index, bool FollowsFunctions = false) : Index(Index), FollowsFunctions(FollowsFunctions) {}

  std::vector<HeldModule> collect(const clang::Expr& Value) {
    visit(Value);
    return std::move(Found);
  }

 private:
  void visit(const clang::Stmt& S) {
    if (++Steps > MostSteps) {
      return;
    }
    const auto* Given = llvm::dyn_cast<clang::Expr>(&S);
    const clang::Expr* E = Given ? &originOf(*Given) : nullptr;
    const clang::CXXRecordDecl* Module = E ? moduleOf(E->getType()) : nullptr;
    if (!Module) {
      return visitParts(E ? *E : S);
    }
    const clang::Expr* Only = isOfLibrary(*Module) ? onlyValueOf(*E) : nullptr;
    if (Only) {
      visit(*Only);
    } else if (isContainer(*Module) && showsItsParts(*E)) {
      visitParts(*E);
    } else if (const clang::FunctionDecl* Maker = isContainer(*Module) ? makerOf(*E) : nullptr) {
      visitParts(*Maker->getBody());
    } else {
      Found.push_back({Module, E});
    }
  }

  void visitParts(const clang::Stmt& S) {
    for (const clang::Stmt* Each : S.children()) {
      if (Each) {
        visit(*Each);
      }
    }
  }

  /// A function of the program's that returns the container, each once.
  const clang::FunctionDecl* makerOf(const clang::Expr& E) {
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
    const clang::FunctionDecl* Function = FollowsFunctions && Call ? Call->getDirectCallee() : nullptr;
    const clang::FunctionDecl* Written = Function && !isOfLibrary(*Function) ? writtenBody(*Function) : nullptr;
    return Written && Makers.insert(Written).second ? Written : nullptr;
  }

  const clang::Expr* onlyValueOf(const clang::Expr& E) const {
    const clang::ValueDecl* Named = pathOf(E).Named;
    const std::vector<const clang::Expr*> Values = Named ? Index.valuesOf(*Named) : std::vector<const clang::Expr*>();
    return Values.size() == 1 ? Values.front() : nullptr;
  }

  static constexpr unsigned MostSteps = 4096;  // a module may name itself

  const UnitIndex& Index;
  const bool FollowsFunctions;
  std::vector<HeldModule> Found;
  llvm::SmallPtrSet<const clang::FunctionDecl*, 4> Makers;
  unsigned Steps = 0;
};

}  // namespace

const clang::CXXRecordDecl* moduleOf(clang::QualType Type) {
  const clang::CXXRecordDecl* Class = Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  const clang::CXXRecordDecl* Held = Class ? heldBy(*Class) : nullptr;
  const clang::CXXRecordDecl* Module = Held ? Held : Class;
  return Module && isModule(*Module) ? Module : nullptr;
}

std::vector<HeldModule> modulesMadeIn(const clang::Expr& E, const UnitIndex& Index) {
  return HeldModuleCollector(Index, /*FollowsFunctions=*/true).collect(E);
}

HeldModules modulesWithin(const ModuleRun& Run, const UnitIndex& Index) {
  HeldModules Held;
  const llvm::StringRef Class = Run ? libraryClass(Run.Module->getType()) : "";
  if (Class != "Sequential" && Class != "AnyModule") {
    return Held;
  }
  for (const clang::Expr* Each : valuesOf(Run, Index)) {
    Held.Made.push_back(HeldModuleCollector(Index).collect(*Each));
  }
  const clang::ValueDecl* Named = pathOf(*Run.Module).Named;
  for (const clang::Expr* Each : Named ? Index.putsInto(*Named) : llvm::ArrayRef<const clang::Expr*>()) {
    llvm::append_range(Held.Put, HeldModuleCollector(Index).collect(*Each));
  }
  return Held;
}

std::vector<const clang::FunctionDecl*> forwardsWithin(const clang::Stmt& S, const UnitIndex& Index) {
  std::vector<const clang::FunctionDecl*> Found;
  const ModuleRun Run = moduleRun(S);
  HeldModules Held = modulesWithin(Run, Index);
  Held.Made.push_back(std::move(Held.Put));
  Held.Made.push_back(modulesFound(Run, Index));
  for (const std::vector<HeldModule>& Modules : Held.Made) {
    for (const HeldModule& Each : Modules) {
      if (!isOfLibrary(*Each.Class)) {
        addForwards(*Each.Class, Found);
      }
    }
  }
  return Found;
}

}  // namespace graphgen::check
