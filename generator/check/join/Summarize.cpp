// SPDX-License-Identifier: Apache-2.0
//
// A function is run three times: what it does with anything, with arguments of an annotated callable, with what outlives that one's call.
#include "check/join/Summarize.h"

#include "check/code/FunctionObjects.h"
#include "check/code/Library.h"
#include "check/code/Returned.h"
#include "check/code/Spelled.h"
#include "check/flow/Interpreter.h"
#include "check/join/Calls.h"
#include "check/rules/Rule.h"
#include "check/rules/Words.h"
#include "scan/Libraries.h"
#include "scan/Types.h"
#include "scan/WatchedMembers.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace graphgen::check::join {
namespace {

class Summarizer {
 public:
  explicit Summarizer(const scan::Bodies& Bodies)
      : Bodies(Bodies),
        Sources(Bodies.context().getSourceManager()),
        Unit(Bodies.context()),
        Changed(Bodies.context(), Unit),
        Facts(Bodies, Unit),
        Elsewhere(Bodies, Unit) {}

  void add(const clang::FunctionDecl& Function, AnnotationsOfOne Annotations);
  void addFunctionsIn(clang::DeclContext& Scope);
  void addOverrides();
  void addFunctionObjects();
  void addChanges();
  Summary take() { return std::move(All); }

 private:
  bool isForOthers(const clang::FunctionDecl& Function) const;
  void addFunction(const clang::FunctionDecl& Definition, const FunctionObject* Stored = nullptr);
  void addHandedOn(const clang::FunctionDecl& Run, const FunctionObject& As);
  void addObject(const clang::FunctionDecl& Run, const FunctionObject& As, Function& To);
  void addBases(const clang::CXXMethodDecl& Method, Function& To);
  void addFindings(const flow::Summary& Whole, flow::Given As, Function& To);
  Told told(const Finding& From) const;
  std::vector<Note> placed(llvm::ArrayRef<check::Note> Notes) const;

  const scan::Bodies& Bodies;
  const clang::SourceManager& Sources;
  const UnitIndex Unit;
  const Changes Changed;
  flow::Interpreter Facts;
  CallsElsewhere Elsewhere;
  llvm::StringSet<> Added;
  Summary All;
};

void Summarizer::add(const clang::FunctionDecl& Function, AnnotationsOfOne Annotations) {
  const clang::FunctionDecl* Body = Bodies.definitionOf(Function);
  if (!Body) {
    return;
  }
  Callable New;
  New.Name = scan::instanceName(Function);
  for (const scan::ScannedCallable* Each : Annotations) {
    for (const annotation::Option& Given : Each->Callable.Options) {
      if (Given.Kind == annotation::OptionKind::Allow) {
        New.Allowed.push_back(Given.Word);
      } else if (Given.Kind == annotation::OptionKind::Step) {
        New.Allowed.push_back("graphed-backward");  // which a step may call
      }
    }
  }
  const std::shared_ptr<const flow::Summary> Whole = Facts.run(*Body, Annotations);
  New.Calls = Elsewhere.of(*Whole, Annotations);
  llvm::SetVector<const clang::FunctionDecl*> Entered;
  for (const Finding& Each : judge(*Whole, Annotations, Unit, Changed, {}, Entered).take(Sources)) {
    if (Each.Unchanged) {
      New.Findings.push_back(told(Each));
    }
  }
  if (!New.Calls.empty() || !New.Findings.empty()) {
    for (const clang::ValueDecl* Each : Annotations.front()->Watched->Members) {
      New.LookedAt.push_back(scan::qualifiedName(*Each));
    }
    llvm::sort(New.LookedAt);
    New.LookedAt.erase(llvm::unique(New.LookedAt), New.LookedAt.end());
    All.Callables.push_back(std::move(New));
  }
}

bool Summarizer::isForOthers(const clang::FunctionDecl& Function) const {
  return Function.isThisDeclarationADefinition() && Function.isExternallyVisible() && !Function.isInlined() && !Function.isMain() &&
         !Function.isTemplated() && !Function.isDeleted() && !Function.isDefaulted() && Function.hasBody();
}

void Summarizer::addFunctionsIn(clang::DeclContext& Scope) {
  for (const clang::Decl* Each : Scope.noload_decls()) {
    if (!Sources.isInMainFile(Sources.getExpansionLoc(Each->getEndLoc()))) {
      continue;
    }
    if (const auto* Function = llvm::dyn_cast<clang::FunctionDecl>(Each)) {
      if (isForOthers(*Function)) {
        addFunction(*Function);
      }
    } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(Each)) {
      addFunctionsIn(*llvm::cast<clang::DeclContext>(const_cast<clang::Decl*>(Each)));
    }
  }
}

void Summarizer::addFunction(const clang::FunctionDecl& Definition, const FunctionObject* Stored) {
  const scan::CallableInHand Trace(Definition);
  Function New;
  New.Id = Elsewhere.idOf(Definition);
  if (!Added.insert(New.Id).second) {
    return;
  }
  for (const flow::Given As : {flow::Given::Arguments, flow::Given::Kept, flow::Given::Unknown}) {
    if (const std::shared_ptr<const flow::Summary> Whole = Facts.run(Definition, As)) {
      addFindings(*Whole, As, New);
      if (As == flow::Given::Arguments) {
        New.Calls = Elsewhere.of(*Whole, {});
      }
    }
  }
  if (!New.Findings.empty() || !New.Calls.empty()) {
    if (const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Definition); Method && Method->size_overridden_methods() != 0) {
      addBases(*Method, New);
    }
    if (Stored) {
      addObject(Definition, *Stored, New);
    }
    All.Functions.push_back(std::move(New));
  }
}

/// Of headers as well: who calls the method of a base need not include them.
void Summarizer::addOverrides() {
  for (const clang::CXXMethodDecl* Each : Unit.overriding()) {
    const clang::NamespaceDecl* Namespace = scan::outermostNamespace(*Each);
    const bool IsRuntimes = Namespace && Namespace->getName() == "graphed";
    const bool IsOwn = !IsRuntimes && !isOfLibraryVirtual(*Each) && !llvm::isa<clang::CXXDestructorDecl>(Each);
    const clang::FunctionDecl* Definition = IsOwn ? Bodies.definitionOf(*Each) : nullptr;
    if (Definition && !Definition->isTemplated() && !Definition->isDefaulted()) {
      addFunction(*Definition);
    }
  }
}

/// Before other functions, which may be among them.
void Summarizer::addFunctionObjects() {
  for (const auto& [Run, Stored] : functionObjectsIn(Bodies.context())) {
    const clang::FunctionDecl* Definition = isOfLibrary(*Run) ? nullptr : Bodies.definitionOf(*Run);
    if (Definition && !Definition->isDependentContext() && Definition->hasBody()) {
      addFunction(*Definition, &Stored);
    } else if (!isOfLibrary(*Run) && !Definition) {
      addHandedOn(*Run, Stored);
    }
  }
}

/// Of another file.
void Summarizer::addHandedOn(const clang::FunctionDecl& Run, const FunctionObject& As) {
  Function New;
  Call& There = New.Calls.emplace_back();
  There.Callee = Elsewhere.idOf(Run);
  There.Name = scan::instanceName(Run);
  for (int64_t Place = 0; Place < static_cast<int64_t>(Run.getNumParams()); ++Place) {
    Given& Its = There.Arguments.emplace_back();
    Its.What = Given::From::Parameter;
    Its.Parameter = Place;
  }
  There.Object.What = Given::From::Object;
  New.Id = There.Callee + " handed on";
  if (Added.insert(New.Id).second) {
    addObject(Run, As, New);
    All.Functions.push_back(std::move(New));
  }
}

/// Each name once: of templates, and of members that each source has for itself.
void Summarizer::addChanges() {
  std::map<std::string, Place> ByName;
  for (const auto& [D, Places] : Changed.all()) {
    const std::string Name = scan::qualifiedName(*D);
    ByName.try_emplace(Name, placeOf(Places.front().Where, Sources));
    if (const auto* Its = llvm::find_if(Places, [](const Changes::Place& Each) { return !Each.IsBehind; }); Its != Places.end()) {
      ByName.try_emplace(OfItself.str() + Name, placeOf(Its->Where, Sources));
    }
  }
  for (const auto& Each : Changed.names()) {
    ByName.try_emplace((OfAnyClass + Each.first()).str(), placeOf(Each.second.front().Where, Sources));
  }
  for (const auto& [Name, Where] : ByName) {
    All.Changes.push_back({Name, Where});
  }
}

void Summarizer::addObject(const clang::FunctionDecl& Run, const FunctionObject& As, Function& To) {
  To.Name = scan::instanceName(Run);
  To.Where = placeOf(Run.getLocation(), Sources);
  To.Store = As.Store ? scan::qualifiedName(*As.Store) : "";
  To.Overrides.assign(As.Signatures.begin(), As.Signatures.end());
  To.Bases = To.Overrides;
}

/// Further and further up.
void Summarizer::addBases(const clang::CXXMethodDecl& Method, Function& To) {
  To.Name = scan::instanceName(Method);
  To.Where = placeOf(Method.getLocation(), Sources);
  llvm::SetVector<const clang::CXXMethodDecl*> Overridden(Method.overridden_methods().begin(), Method.overridden_methods().end());
  for (size_t Next = 0; Next < Overridden.size(); ++Next) {
    const auto Further = Overridden[Next]->overridden_methods();
    Overridden.insert(Further.begin(), Further.end());
  }
  llvm::transform(Overridden, std::back_inserter(To.Overrides), [&](const auto* Each) { return Elsewhere.idOf(*Each); });
  Method.getParent()->forallBases([&](const clang::CXXRecordDecl* Each) {
    if (std::string Name = scan::instanceName(*Each); !llvm::is_contained(To.Bases, Name)) {
      To.Bases.push_back(std::move(Name));
    }
    return true;
  });
}

void Summarizer::addFindings(const flow::Summary& Whole, flow::Given As, Function& To) {
  llvm::SetVector<const clang::FunctionDecl*> Entered;
  const auto Returned = returnedCalls(*Whole.Function);
  for (const Finding& Each : judge(Whole, {}, Unit, Changed, {}, Entered).take(Sources)) {
    Told New = told(Each);
    New.IsReturned = Each.Way.empty() && llvm::any_of(Returned, [&](const clang::CallExpr* One) { return nameOf(*One) == Each.Where; });
    auto Same = llvm::find_if(
        To.Findings, [&](const Told& One) { return One.Check == New.Check && One.Where == New.Where && One.Message == New.Message; });
    if (Same == To.Findings.end()) {
      To.Findings.push_back(std::move(New));
      Same = std::prev(To.Findings.end());
    }
    Same->IsOfAll |= As == flow::Given::Unknown && !Each.Handle;
    Same->IsOfArguments |= As == flow::Given::Arguments;
    Same->IsOfKept |= As == flow::Given::Kept && !Each.Handle;
  }
}

/// The function's parameter that it is, or is in.
static std::optional<int64_t> parameterOf(const flow::PathNode& Of) {
  if (Of.from() == flow::Root::Object) {
    return ObjectParameter;
  }
  const auto* Parameter = llvm::dyn_cast_if_present<clang::ParmVarDecl>(Of.declared());
  return Parameter ? std::optional<int64_t>(Parameter->getFunctionScopeIndex()) : std::nullopt;
}

Told Summarizer::told(const Finding& From) const {
  Told New;
  New.Check = From.Check.str();
  New.Where = placeOf(From.Where, Sources);
  New.Message = From.Message;
  New.Notes = placed(From.Notes);
  New.Way = placed(From.Way);
  New.IsCertain = From.IsCertain;
  if (From.Replaced) {
    New.Replaced = llvm::isa<clang::FieldDecl>(From.Replaced->named()) ? scan::qualifiedName(*From.Replaced->named()) : ItsParameter.str();
  }
  if (From.Handle) {
    New.About = {From.Handle->getFunctionScopeIndex()};
    New.Subject = "the argument '" + From.Handle->getName().str();
    return New;
  }
  New.Unchanged = From.Unchanged ? (From.IsOfItself ? OfItself.str() : "") + scan::qualifiedName(*From.Unchanged) : "";
  New.Around = From.Around ? scan::qualifiedName(patternOf(*From.Around)) : "";
  New.IsOpen = From.IsOpen;
  New.IsOfPart = From.IsOfPart;
  llvm::transform(From.Read, std::back_inserter(New.Read), [](const clang::FieldDecl* Each) { return scan::qualifiedName(*Each); });
  for (const flow::PathNode* Each : From.About) {
    const std::optional<int64_t> Its = parameterOf(*Each);
    if (Its) {
      New.About.push_back(*Its);
    }
    if (Its && *Its != ObjectParameter) {
      const std::string Words = llvm::StringRef(wordsOf(*Each)).drop_back().str();
      New.Subject = New.Subject.empty() && llvm::StringRef(New.Message).contains(Words) ? Words : New.Subject;
    }
  }
  llvm::sort(New.About);
  return New;
}

std::vector<Note> Summarizer::placed(llvm::ArrayRef<check::Note> Notes) const {
  std::vector<Note> Result;
  llvm::transform(Notes, std::back_inserter(Result),
                  [&](const check::Note& Each) { return Note{placeOf(Each.Where, Sources), Each.Message}; });
  return Result;
}

}  // namespace

Summary summarize(llvm::ArrayRef<scan::ScannedCallable> Callables, const scan::Bodies& Bodies) {
  Summarizer Run(Bodies);
  for (const auto& [Function, Annotations] : byFunction(Callables)) {
    const scan::CallableInHand Trace(*Function);
    Run.add(*Function, Annotations);
  }
  Run.addFunctionObjects();
  Run.addFunctionsIn(*Bodies.context().getTranslationUnitDecl());
  Run.addOverrides();
  Run.addChanges();
  Summary Made = Run.take();
  Made.IsScanned = true;
  return Made;
}

std::vector<std::optional<std::vector<std::string>>> namesElsewhere(llvm::ArrayRef<scan::ScannedCallable> Callables,
                                                                    const scan::Bodies& Bodies) {
  const UnitIndex Unit(Bodies.context());
  flow::Interpreter Facts(Bodies, Unit);
  CallsElsewhere Elsewhere(Bodies, Unit);
  std::map<const clang::FunctionDecl*, std::optional<std::vector<std::string>>> Known;
  for (const auto& [Function, Annotations] : byFunction(Callables)) {
    if (const clang::FunctionDecl* Body = Bodies.definitionOf(*Function)) {
      Known[Function] = Elsewhere.namesOf(*Facts.run(*Body, Annotations));
    }
  }
  std::vector<std::optional<std::vector<std::string>>> Names;
  llvm::transform(Callables, std::back_inserter(Names), [&](const scan::ScannedCallable& Each) { return Known[Each.Declaration]; });
  return Names;
}

}  // namespace graphgen::check::join
