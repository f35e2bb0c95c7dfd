// SPDX-License-Identifier: Apache-2.0
//
// What a call makes a node of, and which memory its result shows.
#include "check/OutlineBody.h"

#include "check/code/Library.h"
#include "check/flow/Types.h"
#include "check/rules/Rule.h"
#include "check/rules/Tensors.h"
#include "scan/Types.h"

#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using flow::Fact;

constexpr std::size_t MostNodes = 2000;

bool isOfTensors(Operator::Kind Type) {
  return Type == Operator::Kind::Tensor || Type == Operator::Kind::OptionalTensor || Type == Operator::Kind::TensorList ||
         Type == Operator::Kind::OptionalTensorList;
}

bool isTensors(clang::QualType Type) { return !Type->isVoidType() && holdsTensors(Type.getNonReferenceType()); }

llvm::StringRef nameOf(const clang::FunctionDecl& Function) { return Function.getIdentifier() ? Function.getName() : ""; }

bool isIn(const clang::FunctionDecl& Function, llvm::StringRef Namespace) {
  return llvm::StringRef(Function.getQualifiedNameAsString()).starts_with(Namespace);
}

bool isForwardOfLibrary(const clang::FunctionDecl& Function) {
  return nameOf(Function) == "forward" && isOfLibrary(Function) && isIn(Function, "torch::nn::");
}

/// `linear(x)`, of a holder: it calls forward.
bool isHolderCall(const clang::FunctionDecl& Function) {
  return Function.getOverloadedOperator() == clang::OO_Call && isIn(Function, "torch::nn::ModuleHolder");
}

/// "torch::nn::Linear"
std::string moduleName(const clang::FunctionDecl& Forward) {
  llvm::StringRef Class = llvm::cast<clang::CXXMethodDecl>(Forward).getParent()->getName();
  Class.consume_back("Impl");
  return "torch::nn::" + Class.str();
}

bool hasBody(const Fact& Entered) { return Entered.Into && !Entered.IsBackward && Entered.Into->Function->hasBody(); }

bool isLambda(const clang::FunctionDecl& Function) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  return Method && Method->getParent()->isLambda();
}

bool isStdFunction(const clang::FunctionDecl& Function) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  return Method && Method->getOverloadedOperator() == clang::OO_Call && Method->getParent()->isInStdNamespace() &&
         llvm::is_contained({"function", "move_only_function"}, Method->getParent()->getName());
}

/// "F::softmax(x, 1)", on one line.
std::string spelled(const clang::Expr& E, const clang::SourceManager& Sources) {
  constexpr size_t Most = 40;
  const auto Range = clang::CharSourceRange::getTokenRange(E.getSourceRange());
  const llvm::StringRef Line = clang::Lexer::getSourceText(Range, Sources, {}).split('\n').first;
  return Line.empty() ? "a call" : Line.size() > Most ? Line.take_front(Most).str() + "..." : Line.str();
}

}  // namespace

annotation::SourceGraph Outliner::run(const flow::Summary& Whole) {
  Gradients = Memories.made();
  for (const clang::ParmVarDecl* Each : Whole.Function->parameters()) {
    if (const std::string Name = Each->getNameAsString(); !Name.empty()) {
      Now.Variables[Each] = {Memories.found(Name)};
      Places[Each] = Name;
    }
  }
  Body Outermost{Whole};
  Outermost.This = "";
  In = &Outermost;
  for (const Fact& Each : Whole.Facts) {
    Outermost.At[Each.At].push_back(&Each);
  }
  walk(Whole.Function->getBody());
  Made.IsCutShort |= Whole.IsCutShort;
  return std::move(Made);
}

Outliner::Facts Outliner::factsAt(const clang::Stmt& S, Fact::Kind What) const {
  Facts Found;
  if (const auto All = In->At.find(&S); All != In->At.end()) {
    llvm::copy_if(All->second, std::back_inserter(Found), [&](const Fact* Each) { return Each->What == What; });
  }
  return Found;
}

Shown Outliner::add(const Fact& Its, std::string Name, const Shown& Uses, const Shown& Writes, const std::string& Module) {
  IsAdded = Made.Nodes.size() < MostNodes;
  if (!IsAdded) {
    Made.IsCutShort = true;
    return Writes.empty() ? Uses : Writes;
  }
  const std::size_t Number = Made.Nodes.size();
  annotation::SourceNode& New = Made.Nodes.emplace_back();
  New.Operator = std::move(Name);
  New.Module = Module;
  const clang::SourceLocation At = Sources.getExpansionLoc(In->CalledAt.isValid() ? In->CalledAt : whereOf(Its));
  if (const clang::PresumedLoc Place = Sources.getPresumedLoc(At); Place.isValid()) {
    New.Line = Place.getLine();
    New.File = Sources.isInMainFile(At) ? "" : Place.getFilename();
  }
  std::set<std::size_t> After;
  for (const unsigned Each : Uses) {
    const std::set<std::size_t>& Writers = Now.Writers[Each];
    After.insert(Writers.begin(), Writers.end());
    if (const std::string& Found = Memories.nameOf(Each); Writers.empty() && !Found.empty()) {
      New.Reads.push_back(Found);
    }
  }
  New.After.assign(After.begin(), After.end());
  New.IsPerhaps = In->IsPerhaps || !Its.IsLikely || (!Its.IsCertain && (In->Branches != 0 || In->Loops == 0));
  New.IsRepeated = In->IsRepeated || In->Loops != 0;
  const Shown Result = Writes.empty() ? Shown{Memories.made()} : Writes;
  llvm::for_each(Result, [&](unsigned Each) { Now.Writers[Each] = {Number}; });
  return Result;
}

/// What makes no tensor of its own gives on what it is given; a container keeps it.
Shown Outliner::passOn(const clang::Expr& E, const Given& With) {
  Shown Arguments;
  llvm::for_each(With.OfArguments, [&](const Shown& Each) { check::add(Arguments, Each); });
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&E);
  const auto* Method = Call ? llvm::dyn_cast_if_present<clang::CXXMethodDecl>(Call->getDirectCallee()) : nullptr;
  const clang::VarDecl* Holder = With.Object ? rootOf(*With.Object) : nullptr;
  if (Method && Holder && !Method->isConst() && !Arguments.empty()) {
    check::add(Now.Variables[Holder], Arguments);
  }
  const clang::QualType Type = E.getType();
  const bool IsNumber = Type->isVoidType() || flow::kindOf(Type.getNonReferenceType()) == flow::TypeKind::Number;
  return IsNumber ? Shown() : With.all();
}

Shown Outliner::call(const clang::Expr& E) {
  const Given With = givenTo(E);
  const Facts Calls = factsAt(E, Fact::Kind::Call);
  Facts Entered = factsAt(E, Fact::Kind::Enter);
  llvm::erase_if(Entered, [](const Fact* Each) { return !hasBody(*Each); });
  const Fact* First = Calls.empty() ? nullptr : Calls.front();
  const auto Modules = llvm::ArrayRef(Calls).drop_front(First && First->Function && isHolderCall(*First->Function) ? 1 : 0);
  if (!Modules.empty() && Modules.front()->Function && isForwardOfLibrary(*Modules.front()->Function)) {
    return callModules(Entered.empty() ? Modules : Modules.take_front(), With);
  }
  if (!Entered.empty()) {
    Shown All;
    llvm::for_each(Entered, [&](const Fact* Each) { check::add(All, enter(*Each, With)); });
    return All;
  }
  if (!First || llvm::isa<clang::CXXConstructExpr>(E)) {
    return passOn(E, With);
  }
  if (First->Function) {
    if (std::optional<Shown> Told = callOfGradients(*First, With)) {
      return *Told;
    }
  }
  if (First->Operator) {
    return callOperator(*First, With);
  }
  const bool Writes = !factsAt(E, Fact::Kind::Write).empty();
  if (std::optional<Shown> Told = callLibrary(*First, With, Writes)) {
    return *Told;
  }
  const std::optional<Shown> Told = callElsewhere(*First, With);
  return Told ? *Told : passOn(E, With);
}

Shown Outliner::enter(const Fact& Its, const Given& With) {
  const clang::FunctionDecl& Function = *Its.Into->Function;
  Body Inner{*Its.Into};
  for (const Fact& Each : Its.Into->Facts) {
    Inner.At[Each.At].push_back(&Each);
  }
  const bool IsPositional = Function.getNumParams() == With.Arguments.size();
  for (const clang::ParmVarDecl* Each : Function.parameters()) {
    const unsigned Place = Each->getFunctionScopeIndex();
    Now.Variables[Each] = IsPositional ? With.OfArguments[Place] : With.all();
    Places.erase(Each);
    if (const std::optional<std::string> Known = IsPositional ? placeOf(*With.Arguments[Place]) : std::nullopt) {
      Places[Each] = *Known;
    }
  }
  if (isLambda(Function)) {
    Inner.This = In->This;
    Inner.ThisShows = In->ThisShows;
  } else if (With.Object) {
    Inner.This = placeOf(*With.Object);
    Inner.ThisShows = With.OfObject;
  }
  Inner.IsPerhaps = In->IsPerhaps || !Its.IsLikely || (!Its.IsCertain && (In->Branches != 0 || In->Loops == 0));
  Inner.IsRepeated = In->IsRepeated || In->Loops != 0;
  Inner.CalledAt = In->CalledAt.isInvalid() && isOfLibrary(Function) ? whereOf(Its) : In->CalledAt;
  Made.IsCutShort |= Its.Into->IsCutShort;
  Body* const Outer = std::exchange(In, &Inner);
  walk(Function.getBody());
  In = Outer;
  return Inner.Returned;
}

Shown Outliner::callOperator(const Fact& Its, const Given& With) {
  const Operator& Called = *Its.Operator->Called;
  Shown Written, Shared;
  bool IsPerhaps = false;
  for (const auto& [Place, Parameter] : llvm::enumerate(Its.Operator->Parameters)) {
    const std::size_t Argument = Place - (With.Object ? 1 : 0);
    const bool IsObject = With.Object && Place == 0;
    const Shown Its = IsObject ? With.OfObject : Argument < With.OfArguments.size() ? With.OfArguments[Argument] : Shown();
    if (Parameter->Memory.IsWritten) {
      check::add(Written, Its);
    } else if (Called.isView() && Parameter->Memory.Set) {
      check::add(Shared, Its);
    }
  }
  for (const Operator::Result& Each : Called.Results) {
    IsPerhaps |= llvm::any_of(Called.aliasesOf(Each), [](const Operator::Parameter* From) { return From->Memory.IsPerhaps; }) ||
                 Each.Memory.IsPerhaps;
  }
  const bool MakesTensors = llvm::any_of(Called.Results, [](const Operator::Result& Each) { return isOfTensors(Each.Type); });
  const bool IsSetting = llvm::is_contained({"requires_grad_", "retain_grad"}, Called.Name);
  if (Called.has(InplaceView) || IsSetting || (Called.isView() && Written.empty() && !IsPerhaps)) {
    return Written.empty() ? Shared : Written;
  }
  if (!MakesTensors && Written.empty()) {
    return {};
  }
  Shown Result = add(Its, "aten::" + Called.Name.str(), With.all(), Written);
  if (Called.isView() && Written.empty()) {  // `reshape`, `contiguous`: a copy, if need be
    if (annotation::SourceNode* Node = last()) {
      Node->IsPerhaps = true;
    }
    check::add(Result, Shared);
  }
  return Result;
}

/// A container, and the modules that it is known to hold: one after the other.
Shown Outliner::callModules(llvm::ArrayRef<const Fact*> Calls, const Given& With) {
  const Fact& Whole = *Calls.front();
  const std::string Place = With.Object ? placeOf(*With.Object).value_or("") : "";
  const auto Writes = [&](const Fact& Call) {
    return llvm::any_of(factsAt(*Call.At, Fact::Kind::Write), [&](const Fact* Each) { return Each->Function == Call.Function; });
  };
  Shown Current = With.all();
  for (const unsigned Each : With.OfObject) {
    Current.erase(Each);
  }
  const auto Parts = Calls.drop_front();
  const bool IsOneRun = llvm::count_if(Parts, [](const Fact* Each) { return !Each->Expressions.empty(); }) == 1;
  const llvm::ArrayRef<const Fact*> Shown = IsOneRun && !Parts.front()->Expressions.empty() ? Parts : Calls.take_front();
  for (const Fact* Each : Shown) {
    const bool IsPart = Each != &Whole;
    Fact One = *Each;
    One.IsLikely |= IsPart;
    One.IsCertain = Whole.IsCertain;
    Current = add(One, moduleName(*Each->Function), Current, Writes(*Each) ? Current : check::Shown(), Place);
  }
  return Current;
}

/// What makes, takes or changes gradients: a memory of its own stands for all of them.
std::optional<Shown> Outliner::callOfGradients(const Fact& Its, const Given& With) {
  const clang::FunctionDecl& Function = *Its.Function;
  const llvm::StringRef Name = nameOf(Function);
  const bool IsBackward = Name == "backward" && (isIn(Function, "at::Tensor") || isIn(Function, "torch::autograd::backward"));
  const bool IsOfOptimizer = (Name == "step" || Name == "zero_grad") &&
                             (isIn(Function, "torch::optim::") || isIn(Function, "graphed::optim::") || isIn(Function, "torch::nn::"));
  const bool Clips = Name.starts_with("clip_grad") && (isIn(Function, "torch::nn::utils::") || isIn(Function, "graphed::"));
  if (!IsBackward && !IsOfOptimizer && !Clips) {
    return std::nullopt;
  }
  Shown Uses = IsBackward ? With.all() : Shown();
  Uses.insert(Gradients);
  add(Its, IsBackward ? "torch::Tensor::backward" : scan::qualifiedName(Function), Uses, {Gradients},
      IsOfOptimizer && With.Object ? placeOf(*With.Object).value_or("") : "");
  return Shown();
}

/// Functions of LibTorch that are not operators: `torch::nn::functional::softmax`.
std::optional<Shown> Outliner::callLibrary(const Fact& Its, const Given& With, bool Writes) {
  const clang::FunctionDecl* Function = Its.Function;
  if (!Function || !isOfLibrary(*Function) || Elsewhere.isUnseen(*Function) || llvm::isa<clang::CXXMethodDecl>(Function) ||
      !isTensors(llvm::cast<clang::Expr>(Its.At)->getType()) || !(isIn(*Function, "torch::") || isIn(*Function, "at::"))) {
    return std::nullopt;
  }
  return add(Its, scan::qualifiedName(*Function), With.all(), Writes && !With.OfArguments.empty() ? With.OfArguments.front() : Shown());
}

/// Functions that the file has no body of, and calls whose function is unknown.
std::optional<Shown> Outliner::callElsewhere(const Fact& Its, const Given& With) {
  const auto& E = llvm::cast<clang::Expr>(*Its.At);
  const clang::FunctionDecl* Function = Its.Function && !isStdFunction(*Its.Function) ? Its.Function : nullptr;
  if (Function ? !Elsewhere.isUnseen(*Function) : !isTensors(E.getType())) {
    return std::nullopt;
  }
  Shown Written;
  for (unsigned Place = 0; Function && Place < std::min<std::size_t>(Function->getNumParams(), With.OfArguments.size()); ++Place) {
    const clang::QualType Type = Function->getParamDecl(Place)->getType();
    if (Type->isLValueReferenceType() && !Type->getPointeeType().isConstQualified() && isTensors(Type)) {
      check::add(Written, With.OfArguments[Place]);
    }
  }
  const std::string Name = Function ? scan::instanceName(*Function) : spelled(E, Sources);
  Shown Uses = With.all();
  for (const unsigned Each : Function ? Shown() : With.OfObject) {
    Uses.erase(Each);
  }
  Shown Result = add(Its, Name, Uses, isTensors(E.getType()) ? Shown() : Written);
  if (annotation::SourceNode* Node = last()) {
    Node->IsElsewhere = true;
    for (const unsigned Each : Written) {
      Now.Writers[Each] = {Made.Nodes.size() - 1};
    }
  }
  return isTensors(E.getType()) ? Result : Shown();
}

}  // namespace graphgen::check
