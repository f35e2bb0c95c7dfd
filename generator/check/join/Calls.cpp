// SPDX-License-Identifier: Apache-2.0
#include "check/join/Calls.h"

#include "check/code/FunctionObjects.h"
#include "check/code/Library.h"
#include "check/code/Returned.h"
#include "check/flow/Types.h"
#include "check/rules/ReadForResult.h"
#include "check/rules/Settled.h"
#include "check/rules/SharedHandle.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"
#include "scan/Libraries.h"
#include "scan/Types.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace graphgen::check::join {
namespace {

/// Whatever the function does to its parameter, the variable alone has it.
bool isOwnVariable(const clang::Expr& E) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(E.IgnoreImplicit());
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  return Variable && Variable->hasLocalStorage() && !Variable->getType()->isReferenceType();
}

Given::From rootOf(const flow::PathNode& Of) {
  switch (Of.from()) {
    case flow::Root::Argument:
      return Given::From::Parameter;
    case flow::Root::Object:
      return Given::From::Object;
    default:
      return Given::From::Global;
  }
}

/// What each call looks at in the callable's object, of which this is all or a part. Bodies of other files name what they like.
std::vector<std::string> lookedAtIn(const flow::PathNode& Of, AnnotationsOfOne Annotations) {
  const auto* Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Annotations.empty() ? nullptr : Annotations.front()->Declaration);
  if (!Method || Of.from() != flow::Root::Object) {
    return {};
  }
  const auto* Field = llvm::dyn_cast_or_null<clang::FieldDecl>(Of.named());
  const bool IsTensor = Field && Of.parent() && !typeOf(Of).isNull() && holdsTensors(typeOf(Of));
  const clang::QualType Type = Of.parent() ? typeOf(Of) : clang::QualType();
  const clang::CXXRecordDecl* Class = !Of.parent() ? Method->getParent() : Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  std::vector<std::string> Names;
  for (const clang::FieldDecl* Each : IsTensor ? tensorFieldsOf(*Field)
                                      : Class  ? tensorFieldsOf(*Class)
                                               : decltype(tensorFieldsOf(*Field))()) {
    if (Annotations.front()->Watched->has(*Each)) {
      Names.push_back(scan::qualifiedName(*Each));
    }
  }
  return Names;
}

/// The object that a part was in before a call that is not seen, which may have put another one there; null for anything but an object.
flow::Path perhapsIn(const flow::Value& Known, const clang::Expr* E) {
  const clang::QualType Type = E ? E->getType() : clang::QualType();
  const bool IsObject = Type.isNull() || llvm::is_contained({flow::TypeKind::Record, flow::TypeKind::Pointer}, flow::kindOf(Type));
  const auto* Found = llvm::find_if(Known.Sources, [](flow::Path Each) { return Each->outlivesCall(); });
  return IsObject && Known.Targets.empty() && Found != Known.Sources.end() ? *Found : nullptr;
}

Given givenBy(flow::ValueRef Known, const clang::Expr* E, AnnotationsOfOne Annotations) {
  Given Its;
  if (!Known) {
    return Its;
  }
  const bool IsNumber = E && flow::kindOf(E->getType()) == flow::TypeKind::Number;
  Its.IsFixed = Known->On == flow::Device::Host || (IsNumber && Known->How <= flow::Change::PerKey);
  Its.IsOwnVariable = E && isOwnVariable(*E);
  const auto* Found = llvm::find_if(Known->Targets, [](const flow::Target& Each) { return Each.Of->isOutside(); });
  if (Found == Known->Targets.end()) {
    if (const flow::Path Perhaps = perhapsIn(*Known, E)) {
      Its.What = rootOf(*Perhaps);
      Its.Words = wordsOf(*Perhaps);
    }
    return Its;
  }
  Its.What = rootOf(*Found->Of);
  Its.Words = wordsOf(*Found->Of);
  Its.IsExact = Known->target() != nullptr;
  Its.LookedAt = lookedAtIn(*Found->Of, Annotations);
  if (const auto* Parameter = llvm::dyn_cast_if_present<clang::ParmVarDecl>(Found->Of->declared());
      Parameter && Its.What == Given::From::Parameter) {
    Its.Parameter = Parameter->getFunctionScopeIndex();
    Its.IsInplace = isFlagged(*Found->Of, annotation::Flag::Inplace, Annotations);
    Its.IsStatic = isFlagged(*Found->Of, annotation::Flag::Static, Annotations);
  }
  return Its;
}

}  // namespace

/// A copy shares its elements with the parameter.
static void addHandle(Given& To, const clang::Expr* E, const Way& In) {
  const clang::ParmVarDecl* Handle = E && isHandle(E->getType()) && To.What == Given::From::Call ? givenHandle(*E, In) : nullptr;
  if (Handle) {
    To.What = Given::From::Parameter;
    To.Parameter = Handle->getFunctionScopeIndex();
    To.IsExact = true;
    To.Words = "the argument '" + Handle->getName().str() + "'";
  }
}

Place placeOf(clang::SourceLocation Where, const clang::SourceManager& Sources) {
  const clang::SourceLocation InFile = Sources.getFileLoc(Where);
  const clang::OptionalFileEntryRef File = Sources.getFileEntryRefForID(Sources.getFileID(InFile));
  if (!File) {
    return {};
  }
  llvm::SmallString<256> Path(File->getName());
  Sources.getFileManager().makeAbsolutePath(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return {Path.str().str(), Sources.getSpellingLineNumber(InFile), Sources.getSpellingColumnNumber(InFile)};
}

bool CallsElsewhere::isElsewhere(const clang::FunctionDecl& Function) const {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  const bool IsPure = Method && Method->isPureVirtual();
  const bool IsCuda = isOfC(Function) && Function.getIdentifier() && Function.getName().starts_with("cu");
  const clang::NamespaceDecl* Namespace = scan::outermostNamespace(Function);
  const bool IsRuntimes = Namespace && Namespace->getName() == "graphed";
  const bool IsKnown = IsCuda || IsRuntimes || isOfLibrary(Function) || Function.getBuiltinID() || !overlayOf(Function).empty();
  return !IsKnown && !Function.isImplicit() && !Function.isDefaulted() && !Function.isDependentContext() && !IsPure &&
         !Bodies.definitionOf(Function);
}

/// A module of TorchScript is called, or a kernel by the driver's functions.
static bool isOpaque(const clang::FunctionDecl& Function) {
  if (!isOfLibrary(Function) && !isOfC(Function)) {
    return false;
  }
  const std::string Name = Function.getQualifiedNameAsString();
  const llvm::StringRef Last = llvm::StringRef(Name).rsplit("::").second;
  const bool IsScripts = llvm::StringRef(Name).starts_with("torch::jit::") || llvm::StringRef(Name).starts_with("torch::inductor::");
  return (IsScripts && llvm::is_contained({"forward", "operator()", "run_method", "run"}, Last)) ||
         llvm::is_contained({"cuLaunchKernel", "cuLaunchKernelEx", "cudaLaunchKernel", "cudaLaunchKernelExC"}, Name);
}

bool CallsElsewhere::isUnseen(const clang::FunctionDecl& Function) const { return isElsewhere(Function) || isOpaque(Function); }

/// All that the unit knows.
static llvm::ArrayRef<const clang::FunctionDecl*> mayRun(const flow::Fact& Call) {
  const bool IsSure = Call.MayRun.empty() && Call.Below.empty() && !Call.Store;
  return IsSure && Call.Function ? llvm::ArrayRef(Call.Function) : llvm::ArrayRef(Call.MayRun);
}

std::vector<std::string> CallsElsewhere::namesOf(const flow::Summary& Whole) const {
  std::vector<std::string> Names;
  for (const Way& In : waysOf(Whole)) {
    for (const flow::Fact& Each : In.Of.Facts) {
      if (Each.What != flow::Fact::Kind::Call) {
        continue;
      }
      for (const clang::FunctionDecl* One : mayRun(Each)) {
        if (std::string Name = scan::instanceName(*One); isUnseen(*One) && !llvm::is_contained(Names, Name)) {
          Names.push_back(std::move(Name));
        }
      }
    }
  }
  return Names;
}

/// Functions without external linkage of two sources may have one name.
std::string CallsElsewhere::idOf(const clang::FunctionDecl& Function) {
  const std::string Name = Linker.getName(&Function);
  return Function.isExternallyVisible() ? Name : Name + '@' + placeOf(Sources.getLocForStartOfFile(Sources.getMainFileID()), Sources).File;
}

/// Each with what it is called, and why it is called if that is not the function that the call names.
std::vector<Call> CallsElsewhere::calleesOf(const flow::Fact& Its) {
  std::vector<Call> Found;
  const std::string Named = Its.Function ? scan::instanceName(*Its.Function) : scan::qualifiedName(*Its.Store);
  for (const clang::FunctionDecl* Each : mayRun(Its)) {
    if (!isElsewhere(*Each)) {
      continue;
    }
    Call& New = Found.emplace_back();
    New.Callee = idOf(*Each);
    New.Name = scan::instanceName(*Each);
    if (New.Name != Named) {
      New.Way.push_back({placeOf(Each->getLocation(), Sources), wordsOfOverride(New.Name, Named)});
    }
  }
  if (Its.Below.empty() && !Its.Store) {
    return Found;
  }
  Call& New = Found.emplace_back();
  New.Name = Named;
  llvm::transform(Its.MayRun, std::back_inserter(New.Followed), [&](const auto* Each) { return idOf(*Each); });
  if (Its.Store) {
    New.Callee = Its.RunsModules ? ModuleInContainer.str() : Its.Signature ? signatureOf(*Its.Signature, Bodies.context()) : "";
    New.Below = {New.Callee};
    New.Store = scan::qualifiedName(*Its.Store);
  } else {
    New.Callee = idOf(*Its.Function);
    llvm::transform(Its.Below, std::back_inserter(New.Below), [](const auto* Each) { return scan::instanceName(*Each); });
  }
  return Found;
}

static void add(Call New, std::vector<Call>& To) {
  const auto IsSame = [&](const Call& One) {
    return One.Callee == New.Callee && One.Below == New.Below && One.Store == New.Store && One.Followed == New.Followed &&
           One.Way == New.Way;
  };
  if (const auto Same = llvm::find_if(To, IsSame); Same == To.end()) {
    To.push_back(std::move(New));
  } else if (New.IsCertain && !Same->IsCertain) {
    *Same = std::move(New);
  }
}

std::vector<Call> CallsElsewhere::of(const flow::Summary& Whole, AnnotationsOfOne Annotations) {
  std::vector<Call> All;
  Findings Nothing;
  const Changes Unasked(Bodies.context(), Unit);
  const Readers NoOthers;
  const auto Returned =
      Annotations.empty() || returnsNumbers(Annotations) ? returnedCalls(*Whole.Function) : llvm::SmallVector<const clang::CallExpr*>();
  const std::deque<Way> Ways = waysOf(Whole);
  for (const Way& In : Ways) {
    for (const flow::Fact& Each : In.Of.Facts) {
      if (Each.What != flow::Fact::Kind::Call || (!Each.Function && !Each.Store) || Each.Operator) {
        continue;
      }
      for (Call& New : calleesOf(Each)) {
        llvm::transform(wayBack(In, Each), std::back_inserter(New.Way),
                        [&](const check::Note& One) { return Note{placeOf(One.Where, Sources), One.Message}; });
        for (const auto& [Value, E] : llvm::zip_equal(Each.Arguments, Each.Expressions)) {
          New.Arguments.push_back(givenBy(Value, E, Annotations));
          addHandle(New.Arguments.back(), E, In);
        }
        New.Object = givenBy(Each.Object, nullptr, Annotations);
        New.IsCertain = In.IsCertain && Each.IsCertain && Each.IsLikely && Each.MayRun.empty() && Each.Below.empty();
        New.IsSettled = isSettled({"", Each, In, Annotations, Unit, Unasked, NoOthers, Nothing});
        New.IsReturned = !In.Caller && llvm::is_contained(Returned, Each.At);
        add(std::move(New), All);
      }
    }
  }
  return All;
}

}  // namespace graphgen::check::join
