// SPDX-License-Identifier: Apache-2.0
//
// From the module that is run outwards to what holds it, and from there to its modules.
#include "check/calls/FoundModules.h"

#include "check/code/Library.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

constexpr unsigned MostModuleSteps = 64;  // a variable may name itself

/// LinearImpl of LinearImpl*, shared_ptr<LinearImpl> and LinearImpl&.
const clang::CXXRecordDecl* classOf(const clang::Expr& Module) {
  const clang::QualType Type = Module.getType();
  return Type->isPointerType() ? Type->getPointeeCXXRecordDecl() : moduleOf(Type.getNonReferenceType());
}

bool givesModules(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name).Cases({"children", "named_children", "modules", "named_modules"}, true).Default(false);
}

bool isCast(const clang::FunctionDecl& Function) {
  return Function.isInStdNamespace() && Function.getIdentifier() &&
         llvm::is_contained({"dynamic_pointer_cast", "static_pointer_cast"}, Function.getName());
}

/// One step outwards, where storeOf goes on.
const clang::Expr* outwards(const clang::Expr& E) {
  if (const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E)) {
    const auto* Binding = llvm::dyn_cast<clang::BindingDecl>(Name->getDecl());
    const auto* Variable = llvm::dyn_cast<clang::VarDecl>(Name->getDecl());
    const clang::VarDecl* Holding = Binding ? Binding->getHoldingVar() : nullptr;
    return Holding ? Holding->getInit() : Binding ? Binding->getBinding() : Variable ? Variable->getInit() : nullptr;
  }
  if (const auto* Member = llvm::dyn_cast<clang::MemberExpr>(&E)) {
    return Member->getBase();
  }
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&E)) {
    return Method->getImplicitObjectArgument();
  }
  if (const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&E)) {
    return Unary->getSubExpr();
  }
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    return Construction->getNumArgs() == 1 ? Construction->getArg(0) : nullptr;
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  return Call && Call->getNumArgs() != 0 ? Call->getArg(0) : nullptr;
}

struct Source {
  const clang::ValueDecl* Container = nullptr;   // a member or variable
  const clang::CXXRecordDecl* Object = nullptr;  // of whose class `this` is
  bool IsDeep = false;                           // with the modules of its modules
};

/// A cast is none of a container.
Source sourceOf(const clang::Expr& Module) {
  Source Result;
  const clang::Expr* E = &withoutCasts(Module);
  for (unsigned Step = 0; E && Step < MostModuleSteps; ++Step) {
    E = &withoutCasts(*E);
    const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
    const clang::CXXMethodDecl* Called = Method ? Method->getMethodDecl() : nullptr;
    const llvm::StringRef Name = Called && Called->getIdentifier() && isOfLibrary(*Called) ? Called->getName() : "";
    if (givesModules(Name) && llvm::isa<clang::CXXThisExpr>(withoutCasts(*Method->getImplicitObjectArgument()))) {
      Result.Object = withoutCasts(*Method->getImplicitObjectArgument()).getType()->getPointeeCXXRecordDecl();
      Result.IsDeep = Name.ends_with("modules");
      return Result;
    }
    const clang::ValueDecl* Named = pathOf(*E).Named;
    if (Named && !isOfLibrary(*Named)) {
      Result.Container = Named;
      return Result;
    }
    const auto* Call = llvm::dyn_cast<clang::CallExpr>(E);
    const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
    E = Call && (!Function || !(isOfLibrary(*Function) || isCast(*Function))) ? nullptr : outwards(*E);
  }
  return Result;
}

/// Whether the module is an element, and no variable of its own.
bool isFound(const clang::Expr& Module) {
  const clang::Expr& Origin = originOf(Module);
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&Origin);
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const bool IsElement = Function && isOfLibrary(*Function) && !pathOf(Module).Named;
  const auto* Unary = llvm::dyn_cast<clang::UnaryOperator>(&Origin);
  return IsElement || (Unary && Unary->getOpcode() == clang::UO_Deref) || llvm::isa<clang::CXXDynamicCastExpr>(spelled(Origin));
}

class FoundModuleCollector {
 public:
  explicit FoundModuleCollector(const UnitIndex& Index) : Index(Index) {}

  std::vector<HeldModule> collect(const Source& From) {
    if (From.Container) {
      addContainer(*From.Container);
    } else if (From.Object) {
      addMembers(*From.Object, From.IsDeep);
    }
    return std::move(Found);
  }

 private:
  void addContainer(const clang::ValueDecl& D) {
    for (const clang::Expr* Each : Index.valuesOf(D)) {
      llvm::append_range(Found, modulesMadeIn(*Each, Index));
    }
    for (const clang::Expr* Each : Index.putsInto(D)) {
      llvm::append_range(Found, modulesMadeIn(*Each, Index));
    }
  }

  void addMembers(const clang::CXXRecordDecl& Class, bool IsDeep) {
    if (!Class.hasDefinition() || isOfLibrary(Class) || !Seen.insert(&Class).second) {
      return;
    }
    for (const clang::CXXBaseSpecifier& Each : Class.bases()) {
      if (const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl()) {
        addMembers(*Base, IsDeep);
      }
    }
    for (const clang::FieldDecl* Each : Class.getDefinition()->fields()) {
      if (const clang::CXXRecordDecl* Module = moduleOf(Each->getType())) {
        addContainer(*Each);
        if (IsDeep) {
          addMembers(*Module, true);
        }
      }
    }
  }

  const UnitIndex& Index;
  std::vector<HeldModule> Found;
  llvm::SmallPtrSet<const clang::CXXRecordDecl*, 8> Seen;
};

}  // namespace

std::vector<HeldModule> modulesFound(const ModuleRun& Run, const UnitIndex& Index) {
  const clang::CXXRecordDecl* Class = Run ? classOf(*Run.Module) : nullptr;
  const bool IsAny = Run && (Run.Class == "AnyModule" || Run.Class == "Sequential");
  if (!IsAny && (!Class || !isFound(*Run.Module))) {
    return {};
  }
  std::vector<HeldModule> Found = FoundModuleCollector(Index).collect(sourceOf(*Run.Module));
  llvm::erase_if(Found, [&](const HeldModule& Each) { return !IsAny && Each.Class->getCanonicalDecl() != Class->getCanonicalDecl(); });
  return Found;
}

}  // namespace graphgen::check
