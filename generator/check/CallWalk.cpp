// SPDX-License-Identifier: Apache-2.0
//
// Breadth first, so that the way to a body is a short one. A body that was entered by an uncertain call is walked again for a certain one.
#include "check/CallWalk.h"

#include "check/calls/Dispatch.h"
#include "check/calls/HeldModules.h"
#include "check/calls/StoredCallables.h"
#include "check/calls/UnusedLambdas.h"
#include "check/code/BodyWalk.h"
#include "check/code/Destructors.h"
#include "check/code/Library.h"
#include "check/code/ReassignedParts.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

namespace {

constexpr size_t MostFacts = 8;  // of one body, with forms; as many more without

/// What a `torch::autograd::Function<T>::apply` leads to later: T::backward.
const clang::FunctionDecl* backwardOf(const clang::FunctionDecl& Called) {
  const auto* Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Called.getDeclContext());
  if (!Class || !isOfLibrary(*Class) || Class->getName() != "Function" || !Called.getIdentifier() || Called.getName() != "apply") {
    return nullptr;
  }
  const clang::CXXRecordDecl* Applied = Class->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  for (const clang::CXXMethodDecl* Each : Applied ? Applied->methods() : clang::CXXRecordDecl::method_range({}, {})) {
    if (Each->getIdentifier() && Each->getName() == "backward") {
      return Each;
    }
  }
  return nullptr;
}

bool isFollowed(const clang::FunctionDecl& Called) { return !isOfLibrary(Called) || isMadeForProgram(Called); }

/// Of a call through a std::function or a pointer. What std::invoke passes on, and the object of a method, are left out.
PassedOwners givenTo(const clang::Stmt& Call, const clang::FunctionDecl& Called, const Frame& In) {
  const bool IsInvoke = calleeOf(Call).Function && !llvm::isa<clang::CXXOperatorCallExpr>(Call);
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Called);
  if (IsInvoke || (Method && !Method->isStatic() && Method->getOverloadedOperator() != clang::OO_Call)) {
    return {};
  }
  PassedOwners Given = passedOwners(Call, Called, In);
  Given.Object = {};
  return Given;
}

}  // namespace

void CallWalk::run(const clang::FunctionDecl& Annotated) {
  Frame Outermost{nullptr, nullptr, Annotated.getLocation()};
  Outermost.Forms = annotatedForms(Annotations);
  Outermost.Parts = std::make_shared<ReassignedParts>();
  enter(&Annotated, std::move(Outermost));
  while (Next < Frames.size()) {
    walk(Frames[Next++]);
    if (Next == Frames.size()) {
      walkUncalledLambdas();
    }
  }
}

void CallWalk::enter(const clang::FunctionDecl* Function, Frame New) {
  if (!Function || !isFollowed(*Function)) {
    return;
  }
  New.Function = Bodies.definitionOf(*Function);
  if (!New.Function || New.Function->isDependentContext()) {
    return;
  }
  CertainByFacts& Known = Walked[New.Function];
  Facts Here = factsOf(New);
  if (Known.size() >= MostFacts && Known.count(Here) == 0) {
    New.Forms.clear();
    Here = factsOf(New);
  }
  if (Known.size() >= 2 * MostFacts && Known.count(Here) == 0) {
    New.Given = {};
    New.Object = {};
    Here.clear();
  }
  const auto [Before, IsNew] = Known.try_emplace(std::move(Here), New.IsCertain);
  if (IsNew || (New.IsCertain && !Before->second)) {
    Before->second = New.IsCertain;
    Frames.push_back(std::move(New));
  }
}

CallWalk::Facts CallWalk::factsOf(const Frame& In) {
  Facts Result;
  const Frame* Each = &In;
  while (Each) {
    Result.emplace_back(Each->Given, Each->Object, Each->Forms);
    const auto* Operator = llvm::dyn_cast<clang::CXXMethodDecl>(Each->Function);
    if (!Operator || !Operator->getParent()->isLambda()) {
      break;
    }
    const clang::DeclContext* Around = Operator->getParent()->getDeclContext();
    do {
      Each = Each->Caller;
    } while (Each && Each->Function != Around);
  }
  return Result;
}

std::vector<Form> CallWalk::formsGiven(const clang::Stmt& Call, const clang::FunctionDecl& Called, const Frame& In) const {
  return isFollowed(Called) ? Forms.given(Call, Called, In) : std::vector<Form>();
}

void CallWalk::follow(const clang::Stmt& S, const Place& At) {
  followCallee(S, At);
  for (const StoredCallable& Each : storedCallables(S, At.In, Index)) {
    enter(Each.Function,
          {nullptr, &At.In, S.getBeginLoc(), false, givenTo(S, *Each.Function, At.In), /*IsBackward=*/false, {}, Each.Stored});
  }
  for (const Destruction& Each : destructionsBy(S)) {
    enter(Each.Function, {nullptr, &At.In, Each.Where, At.IsCertain && Each.IsCertain});
  }
}

void CallWalk::followCallee(const clang::Stmt& S, const Place& At) {
  const Callee Called = calleeOf(S);
  if (!Called.Function) {
    return;
  }
  for (const Target& Each : targetsOf(S, Called, At.In, Index)) {
    if (!isFollowed(*Each.Function)) {
      continue;
    }
    const PassedOwners Given = passedOwners(S, *Each.Function, At.In);
    enter(Each.Function, {nullptr, &At.In, Called.Call, At.IsCertain && Each.IsCertain, Given, /*IsBackward=*/false, Each.Object,
                          Each.Reason, formsGiven(S, *Each.Function, At.In)});
  }
  enter(backwardOf(*Called.Function), {nullptr, &At.In, Called.Call, false, {}, /*IsBackward=*/true});
  for (const clang::FunctionDecl* Each : forwardsWithin(S, Index)) {
    enter(Each, {nullptr, &At.In, Called.Call, false});
  }
}

void CallWalk::walk(const Frame& In) {
  const bool IsJudged = !In.Caller || !isOfLibrary(*In.Function);
  walkBody(*In.Function, [&](const clang::Stmt& S, bool IsCertain) {
    const Place At{In, In.IsCertain && IsCertain, Index, Annotations, Found, Forms};
    for (const CaptureCheck* Each : IsJudged ? Checks : llvm::ArrayRef<const CaptureCheck*>()) {
      Each->check(S, At);
    }
    follow(S, At);
    if (const auto* Lambda = llvm::dyn_cast<clang::LambdaExpr>(&S); Lambda && !isUnused(*Lambda, In)) {
      Lambdas.emplace_back(Lambda, &In);
    }
  });
}

/// Whoever was given them may call them.
void CallWalk::walkUncalledLambdas() {
  std::vector<std::pair<const clang::LambdaExpr*, const Frame*>> Uncalled = std::exchange(Lambdas, {});
  llvm::erase_if(Uncalled, [&](const auto& Each) { return Walked.count(Each.first->getCallOperator()) != 0; });
  for (const auto& [Lambda, In] : Uncalled) {
    enter(Lambda->getCallOperator(), {nullptr, In, Lambda->getBeginLoc(), false});
  }
}

}  // namespace graphgen::check
