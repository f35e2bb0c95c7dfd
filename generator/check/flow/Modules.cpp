// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's containers of modules. Which of them an element is, is unknown: all lead to one place, and each of the program's may run.
#include "check/code/Classes.h"
#include "check/code/Library.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"

namespace graphgen::check::flow {
namespace {

bool givesModules(llvm::StringRef Name) {
  return llvm::is_contained({"children", "named_children", "modules", "named_modules", "items", "begin", "end", "at", "ptr", "as"}, Name);
}

}  // namespace

const clang::CXXMethodDecl* forwardIn(const clang::CXXRecordDecl& Class) {
  const auto Found = llvm::find_if(Class.methods(),
                                   [](const clang::CXXMethodDecl* Each) { return Each->getIdentifier() && Each->getName() == "forward"; });
  if (Found != Class.method_end()) {
    return *Found;
  }
  for (const clang::CXXBaseSpecifier& Each : Class.bases()) {
    const clang::CXXRecordDecl* Base = Each.getType()->getAsCXXRecordDecl();
    if (const clang::CXXMethodDecl* Inherited = Base && Base->hasDefinition() ? forwardIn(*Base->getDefinition()) : nullptr) {
      return Inherited;
    }
  }
  return nullptr;
}

static const clang::CXXMethodDecl* forwardIn(const Making& Module) {
  const clang::CXXRecordDecl* Holder = Module.Holder;
  const clang::CXXRecordDecl* Held =
      Holder ? flow::pointeeOf(Holder->getASTContext().getCanonicalTagType(Holder))->getAsCXXRecordDecl() : nullptr;
  return Held && Held->hasDefinition() ? forwardIn(*Held) : nullptr;
}

Stored BodyRun::modulesAt(ValueRef Module) {
  if (Module && Module->Made && isModuleHolder(Module->Made->getType())) {
    return madeBy(*Module->Made, All.Unit);
  }
  const Path Child = Module && Module->Targets.size() == 1 ? Module->Targets[0].Of : nullptr;
  for (Path Each = Child; Each && Each->parent(); Each = Each->parent()) {
    const clang::FieldDecl* Member = Each->last().Member;
    if (Member && isOfLibrary(*Member) && !Member->isInStdNamespace()) {  // a part of one of LibTorch's modules
      return {};
    }
  }
  const clang::ValueDecl* Store = Child ? storeOfPath(Child) : nullptr;
  if (Store) {
    return All.storedIn(*Store);
  }
  Stored Children;
  const bool IsAmong = Child && Child->from() == Root::Object && Child->parent() && Child->last().What == Step::Kind::AnyElement;
  for (const clang::FieldDecl* Each : IsAmong&& All.Object ? All.Object->fields() : clang::RecordDecl::field_range({}, {})) {
    if (isModuleHolder(Each->getType())) {
      llvm::append_range(Children.Runs, All.storedIn(*Each).Runs);
    }
  }
  return Children;
}

/// Of the module that is called, or the options that are given.
std::vector<Setting> BodyRun::settingsOf(const Called& Its) {
  std::vector<Setting> Said;
  if (!isOfLibrary(*Its.Function) || !Its.Function->getIdentifier()) {
    return Said;
  }
  if (Its.Function->getName() == "forward") {
    const Stored Held = modulesAt(Its.Object);
    const auto Add = [&](const Making& Each) {
      if (forwardIn(Each) == Its.Function) {
        llvm::append_range(Said, Each.Said);
      }
    };
    for (const std::vector<Making>& Each : Held.Runs) {
      llvm::for_each(Each, Add);
    }
    llvm::for_each(Held.Added, Add);
  }
  for (const clang::Expr* Each : Its.Object ? decltype(Its.Expressions)() : Its.Expressions) {
    if (libraryClass(Each->getType()).ends_with("Options") && !llvm::isa<clang::CXXDefaultArgExpr>(Each)) {
      llvm::append_range(Said, settingsIn(*Each, All.Unit));
    }
  }
  return Said;
}

/// Of what writes its first argument, always or where an option says so; whether it gives that on.
bool BodyRun::writeFirst(const Called& Its, llvm::ArrayRef<Setting> Said, bool IsSure) {
  bool Writes = false, Gives = false;
  for (const OverlayRow* Each : All.rowsOf(*Its.Function)) {
    const Effect& What = *Each->What;
    Writes |= What.Its == Trait::WritesFirst && (What.How == Level::Certain || isSet(Said, "inplace", Definition.getASTContext()));
    Gives |= What.Its == Trait::GivesFirst;
  }
  const ValueRef Input = Writes && !Its.Arguments.empty() ? seen(*Its.Expressions[0], Its.Arguments[0]) : nullptr;
  if (Input && (Input->MayBeOther || !Input->Targets.empty())) {
    Fact& Told = tell(Fact::Kind::Write, Its.At);
    Told.Function = Its.Function;
    Told.Object = Input;
    Told.IsLikely = IsSure && !Gives;  // a dropout gives it on where it drops nothing
    wrote(Input);
  }
  return Writes || Gives;
}

/// One after the other, each with what the one before gives; the first with the input.
void BodyRun::runModules(const Called& Its, llvm::ArrayRef<Making> Modules, bool IsFirst, bool IsSure) {
  for (const Making& Each : Modules) {
    const clang::CXXMethodDecl* Forward = forwardIn(Each);
    if (!Forward) {
      IsFirst = false;
      continue;
    }
    Called One{Its.At, Forward, nullptr, {}, {}};
    if (IsFirst) {
      One.Expressions = Its.Expressions;
      One.Arguments = Its.Arguments;
    }
    Fact& Told = tellCall(One);
    Told.IsLikely = false;
    Told.Settings = Each.Said;
    IsFirst = writeFirst(One, Each.Said, IsSure) && IsFirst;
    IsSure &= Forward->getParent()->getName() == "IdentityImpl";
  }
}

/// Of the std::function that a torch::nn::Functional holds.
static const clang::FunctionProtoType* functionIn(const clang::CXXRecordDecl& Functional) {
  for (const clang::FieldDecl* Each : Functional.fields()) {
    const clang::CXXRecordDecl* Class = Each->getType()->getAsCXXRecordDecl();
    if (Class && scan::qualifiedName(*Class) == "std::function") {
      return scan::templateArguments(Class).front().getAsType()->getAs<clang::FunctionProtoType>();
    }
  }
  return nullptr;
}

/// A container that is not seen to have any module.
static bool isFilledElsewhere(const Stored& Held) {
  const auto IsEmpty = [](const std::vector<Making>& Each) { return Each.empty(); };
  return !Held.AreAll && Held.Modules.empty() && llvm::all_of(Held.Runs, IsEmpty) && Held.Added.empty();
}

/// All of a container, or one among them.
void BodyRun::runStored(const Called& Its, const Stored& Held, bool IsAmong) {
  for (const std::vector<Making>& Each : Held.Runs) {
    runModules(Its, Each, true, Held.Runs.size() == 1 && !IsAmong);
  }
  runModules(Its, Held.Added, Held.Runs.empty(), false);
}

std::optional<ValueRef> BodyRun::moduleCall(const Called& Its, const clang::CXXMethodDecl& Method) {
  const llvm::StringRef Class = Method.getParent()->getName(), Name = Method.getIdentifier() ? Method.getName() : llvm::StringRef();
  const bool RunsSeveral = Name == "forward" && llvm::is_contained({"SequentialImpl", "AnyModule"}, Class);
  if (llvm::is_contained({"register_buffer", "register_parameter"}, Name) && Its.Arguments.size() > 1 && Its.Arguments[1]) {
    const Path Made = All.Places.fresh(Its.At);
    Value Registered = *Its.Arguments[1];
    Registered.On = Device::Unknown;  // a module moves it
    Registered.Made = nullptr;
    Now.set(Made, All.Known.keep(std::move(Registered)));
    return All.Known.keep(Value::to(Made));
  }
  const Path Object = Its.Object->Targets.empty() ? nullptr : Its.Object->Targets.front().Of;
  const bool IsAmong = Object && All.typeOf(Object).isNull();
  if (RunsSeveral) {
    runStored(Its, modulesAt(Its.Object), IsAmong);
  }
  if (!Object || !Object->outlivesCall()) {
    return std::nullopt;
  }
  if (RunsSeveral) {
    std::vector<Body> Bodies;
    const clang::ValueDecl* Store = storeOfPath(Object);
    for (const clang::CXXRecordDecl* Each : Store ? All.storedIn(*Store).Modules : decltype(Stored::Modules)()) {
      if (const clang::CXXMethodDecl* Forward = forwardIn(*Each)) {
        Bodies.push_back({Forward, IsAmong ? Its.Object : anyElementOf(Its.Object), false});
      }
    }
    if (Store && isFilledElsewhere(All.storedIn(*Store))) {
      Fact& Call = callTold(Its.At);
      Call.Store = Store;
      Call.RunsModules = true;
    }
    followOne({Its.At, nullptr, nullptr, {}, Its.Arguments}, Bodies, false);
    return std::nullopt;
  }
  if (const clang::FunctionProtoType* Signature =
          Name == "forward" && Class == "FunctionalImpl" ? functionIn(*Method.getParent()) : nullptr) {
    if (const clang::ValueDecl* Store = storeOfPath(Object)) {
      Fact& Call = callTold(Its.At);
      Call.Store = Store;
      Call.Signature = Signature;
    }
    return std::nullopt;
  }
  if (IsAmong) {
    return Its.Object;
  }
  const bool IsContainer = llvm::is_contained({"Module", "SequentialImpl", "ModuleListImpl", "ModuleDictImpl"}, Class);
  if (llvm::is_contained({"parameters", "named_parameters", "buffers", "named_buffers"}, Name) && Class == "Module") {
    return anyElementOf(Its.Object);
  }
  return IsContainer && givesModules(Name) ? std::optional(All.Known.perhaps(anyElementOf(Its.Object))) : std::nullopt;
}

}  // namespace graphgen::check::flow
