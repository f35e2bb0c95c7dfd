// SPDX-License-Identifier: Apache-2.0
//
// A module in a container's initializer is made there, or by a holder of it.
#include "check/HeldModules.h"

#include "check/Library.h"
#include "check/ModuleRuns.h"
#include "check/TensorCalls.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

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

void addForwardsIn(const clang::Stmt& S, std::vector<const clang::FunctionDecl*>& Found) {
  const auto* E = llvm::dyn_cast<clang::Expr>(&S);
  const clang::CXXRecordDecl* Class = E ? E->getType()->getAsCXXRecordDecl() : nullptr;
  const clang::CXXRecordDecl* Held = Class ? heldBy(*Class) : nullptr;
  const clang::CXXRecordDecl* Module = Held ? Held : Class;
  if (Module && !isOfLibrary(*Module) && isModule(*Module)) {
    return addForwards(*Module, Found);
  }
  for (const clang::Stmt* Each : S.children()) {
    if (Each) {
      addForwardsIn(*Each, Found);
    }
  }
}

}  // namespace

std::vector<const clang::FunctionDecl*> forwardsWithin(const clang::Stmt& S, const UnitIndex& Index) {
  std::vector<const clang::FunctionDecl*> Found;
  const ModuleRun Run = moduleRun(S);
  const llvm::StringRef Class = Run ? libraryClass(Run.Module->getType()) : "";
  if (Class == "Sequential" || Class == "AnyModule") {
    for (const clang::Expr* Each : valuesOf(Run, Index)) {
      addForwardsIn(*Each, Found);
    }
  }
  return Found;
}

}  // namespace graphgen::check
