// SPDX-License-Identifier: Apache-2.0
//
// Which bodies a call may come to, and what is known behind it. Of a virtual method those of the classes that the object may have. They are
// what the unit shows where the object is made, else all of the unit that derive from the named one.
#include "check/code/Library.h"
#include "check/code/Stores.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"
#include "scan/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

namespace graphgen::check::flow {
namespace {

constexpr size_t MostOverrides = 32;  // of one call

/// Those of classes that derive from Base, in the order of the text.
std::vector<const clang::CXXMethodDecl*> overridesBelow(const clang::CXXMethodDecl& Method, const clang::CXXRecordDecl& Base,
                                                        const UnitIndex& Unit) {
  std::vector<const clang::CXXMethodDecl*> Seen = Unit.overridesOf(Method).vec();
  for (size_t Next = 0; Next < Seen.size() && Seen.size() < MostOverrides; ++Next) {
    llvm::copy_if(Unit.overridesOf(*Seen[Next]), std::back_inserter(Seen),
                  [&](const auto* Each) { return !llvm::is_contained(Seen, Each); });
  }
  llvm::erase_if(Seen, [&](const clang::CXXMethodDecl* Each) {
    const clang::CXXRecordDecl* Class = Each->getParent()->getDefinition();
    return !Class || Class->getCanonicalDecl() == Base.getCanonicalDecl() || !Class->isDerivedFrom(&Base);
  });
  const clang::SourceManager& Sources = Method.getASTContext().getSourceManager();
  llvm::stable_sort(Seen,
                    [&](const auto* A, const auto* B) { return Sources.isBeforeInTranslationUnit(A->getLocation(), B->getLocation()); });
  return Seen;
}

bool isQualifiedCall(const clang::Stmt& S) {
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&S);
  const auto* Member = Call ? llvm::dyn_cast<clang::MemberExpr>(Call->getCallee()->IgnoreParens()) : nullptr;
  return Member && Member->hasQualifier();
}

/// Algorithms that call what they are given with each element of their first range.
bool takesEach(llvm::StringRef Algorithm) {
  return llvm::is_contained(
      {"for_each", "for_each_n", "transform", "all_of", "any_of", "none_of", "find_if", "find_if_not", "count_if", "copy_if", "remove_if"},
      Algorithm);
}

const clang::CXXMethodDecl* methodOf(const clang::CXXRecordDecl& Class, llvm::StringRef Name) {
  const auto Found =
      llvm::find_if(Class.methods(), [&](const clang::CXXMethodDecl* Each) { return Each->getIdentifier() && Each->getName() == Name; });
  return Found == Class.method_end() ? nullptr : *Found;
}

}  // namespace

std::optional<ValueRef> BodyRun::follow(const Called& Its, const Body& One, bool IsLikely) {
  const clang::FunctionDecl* Definition = All.Bodies.definitionOf(*One.Function);
  if (!Definition || isOfLibrary(*Definition) || !Definition->getBody()) {
    return std::nullopt;
  }
  std::vector<ValueRef> Given = Its.Arguments;
  Given.push_back(One.Object);
  State In = Now.reachable(Given);
  bindParameters(*Definition, Its.Arguments, In);
  const std::shared_ptr<const Summary> Run = All.enter(*Definition, In, One.Object, &Its.At);
  if (!Run) {
    return std::nullopt;
  }
  Fact& Told = tell(Fact::Kind::Enter, Its.At);
  Told.Function = Definition;
  Told.Into = Run;
  Told.Expressions.assign(Its.Expressions.begin(), Its.Expressions.end());
  Told.IsLikely = IsLikely && !llvm::isa<clang::CoroutineBodyStmt>(Definition->getBody());  // other code may resume it, or not
  Told.Why = One.Why;
  Told.WhyAt = One.WhyAt;
  Told.IsBackward = One.IsBackward;
  if (!Run->Exit) {
    IsReached = false;
    return nullptr;
  }
  Now.overwrite(*Run->Exit);
  return returned(llvm::dyn_cast<clang::Expr>(&Its.At), Run->Result);
}

std::optional<ValueRef> BodyRun::followOne(const Called& Its, llvm::ArrayRef<Body> Bodies, bool AreAll) {
  const State Before = Now;
  std::optional<State> After = AreAll ? std::nullopt : std::optional(Before);
  ValueRef Joined = nullptr;
  bool IsFollowed = false;
  for (const Body& Each : Bodies) {
    Now = Before;
    const std::optional<ValueRef> One = follow(Its, Each, Each.IsLikely && AreAll);
    IsFollowed |= One.has_value();
    Joined = All.Known.join(Joined, One ? *One : All.Known.unknown());
    if (IsReached && After) {
      join(*After, Now);
    } else if (IsReached) {
      After = Now;
    }
    IsReached = true;
  }
  Now = IsFollowed && After ? *After : Before;
  IsReached = !IsFollowed || After.has_value();
  return IsFollowed ? std::optional(Joined) : std::nullopt;
}

/// Of the object: what it is itself, else what is known at its place, else the class that is named, or what derives from that.
Value BodyRun::classesOf(ValueRef Object, const clang::CXXRecordDecl& Named) {
  Value Of;
  bool AreKnown = Object && !Object->MayBeOther && !Object->Targets.empty();
  for (const Target& Each : AreKnown ? llvm::ArrayRef<Target>(Object->Targets) : llvm::ArrayRef<Target>()) {
    const bool IsBeingMade = llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(Definition) && Object == this->Object;
    const ValueRef There = read(Each.Of);
    if (IsBeingMade) {
      Of.Classes = {llvm::cast<clang::CXXMethodDecl>(Definition).getParent()};
    } else {
      AreKnown &= There && !There->Classes.empty();
      for (const clang::CXXRecordDecl* One : There ? There->Classes : Of.Classes) {
        if (!llvm::is_contained(Of.Classes, One)) {
          Of.Classes.push_back(One);
        }
      }
      Of.MayDerive |= There && There->MayDerive;
    }
  }
  if (!AreKnown) {
    Of.Classes = {&Named};
    Of.MayDerive = !Named.isEffectivelyFinal();
  }
  return Of;
}

/// It is where the unit puts objects of some classes, and other files may put those of others.
bool BodyRun::isGivenByOthers(ValueRef Object) {
  return Object && llvm::any_of(Object->Targets, [&](const Target& Each) {
           const clang::ValueDecl* Store = Each.Of->outlivesCall() ? storeOfPath(Each.Of) : nullptr;
           return Store && !All.storedIn(*Store).AreAll;
         });
}

void BodyRun::addBodies(const clang::CXXMethodDecl& Method, const clang::CXXRecordDecl& Class, const Value& Of, ValueRef Object,
                        BodiesOfCall& Found) {
  const auto Add = [&](const clang::CXXMethodDecl& Run, bool IsLikely) {
    Body New{&Run, Object, IsLikely};
    if (Run.getCanonicalDecl() != Method.getCanonicalDecl()) {
      New.WhyAt = Run.getLocation();
      New.Why = "'" + scan::instanceName(Run) + "' overrides '" + scan::instanceName(Method) + "'";
    }
    if (llvm::none_of(Found.Known, [&](const Body& Each) { return Each.Function == &Run; })) {
      Found.Known.push_back(std::move(New));
    }
  };
  const clang::CXXMethodDecl* Own = Method.getCorrespondingMethodInClass(&Class);
  Own = Own ? Own : &Method;
  const bool IsExact = !Of.MayDerive || Own->hasAttr<clang::FinalAttr>();
  if (!Own->isPureVirtual()) {
    Add(*Own, IsExact && Of.Classes.size() == 1);
  }
  if (!IsExact && !isOfLibraryVirtual(Method)) {
    Found.Below.push_back(&Class);
    for (const clang::CXXMethodDecl* Each : overridesBelow(Method, Class, All.Unit)) {
      Add(*Each, false);
    }
  }
}

BodyRun::BodiesOfCall BodyRun::bodiesOf(const Called& Its) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Its.Function);
  if (!Method || !Method->isVirtual() || isQualifiedCall(Its.At) || llvm::isa<clang::CXXDestructorDecl>(Method)) {
    return {{{Its.Function, Its.Object}}};
  }
  const auto* Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Its.At);
  const clang::CXXRecordDecl* Named = Call ? Call->getObjectType()->getAsCXXRecordDecl() : nullptr;
  Named = Named && Named->hasDefinition() ? Named : Method->getParent();
  const Value Of = classesOf(Its.Object, *Named);
  BodiesOfCall Found;
  for (const clang::CXXRecordDecl* Each : Of.Classes) {
    addBodies(*Method, *Each, Of, Its.Object, Found);
  }
  if (!Found.Below.empty() && isGivenByOthers(Its.Object)) {
    Found.Below = {Named};
  }
  return Found;
}

/// Of a lambda, an object that can be called, or what leads to functions.
std::vector<BodyRun::Body> BodyRun::bodiesIn(const clang::Expr& E, ValueRef Given, ValueRef Object) {
  const clang::CXXRecordDecl* Class = E.getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (Class && kindOf(E.getType()) == TypeKind::Record && Class->hasDefinition() && !isOfLibrary(*Class)) {
    const auto Call = llvm::find_if(Class->methods(), [](const auto* Each) { return Each->getOverloadedOperator() == clang::OO_Call; });
    return Call == Class->method_end() || (*Call)->isDependentContext() ? std::vector<Body>() : std::vector<Body>{{*Call, Given}};
  }
  const ValueRef Held = kindOf(E.getType()) == TypeKind::Function && E.isGLValue() && !E.getType()->isFunctionType() ? load(Given) : Given;
  std::vector<Body> Found;
  for (const Callable& Each : Held ? llvm::ArrayRef<Callable>(Held->Callables) : llvm::ArrayRef<Callable>()) {
    const bool IsObject = llvm::isa<clang::CXXMethodDecl>(Each.Function) && Each.Function->getOverloadedOperator() == clang::OO_Call;
    const ValueRef Closure = Each.Object                   ? All.Known.keep(Value::to(Each.Object))
                             : Each.Store && E.isGLValue() ? pointeeOf(Given)
                                                           : All.Known.unknown();
    Body New{Each.Function, Each.Object || IsObject ? Closure : Object};
    New.IsLikely = Held->Callables.size() == 1 && !Held->MayBeOther && !Each.Store;
    New.WhyAt = Each.Stored;
    New.Why = Each.Store ? "stored in '" + Each.Store->getNameAsString() + "' here" : "";
    Found.push_back(std::move(New));
  }
  return Found;
}

/// What holds a std::function: by where its object is, or, since a call that is not seen may have put another one there, by its name.
static const clang::ValueDecl* storeOfFunction(const clang::Expr& E, ValueRef Place) {
  for (const Target& Each : Place ? llvm::ArrayRef<Target>(Place->Targets) : llvm::ArrayRef<Target>()) {
    return Each.Of->outlivesCall() ? storeOfPath(Each.Of) : nullptr;
  }
  const clang::ValueDecl* Named = storeOf(E);
  return Named && !llvm::isa<clang::ParmVarDecl>(Named) ? Named : nullptr;
}

/// Of a std::function<R(A...)>, a pointer to a function or to a method.
static const clang::FunctionProtoType* signatureOf(clang::QualType Callee) {
  const clang::QualType T = Callee.getNonReferenceType();
  const auto* Member = T->getAs<clang::MemberPointerType>();
  const clang::CXXRecordDecl* Class = T->getAsCXXRecordDecl();
  const auto Arguments = Class ? scan::templateArguments(Class) : std::vector<clang::TemplateArgument>();
  const bool IsFunction = !Arguments.empty() && Arguments.front().getKind() == clang::TemplateArgument::Type;
  const clang::QualType Function = Member               ? Member->getPointeeType()
                                   : T->isPointerType() ? T->getPointeeType()
                                   : IsFunction         ? Arguments.front().getAsType()
                                                        : T;
  return Function->getAs<clang::FunctionProtoType>();
}

/// Where it is unknown what E, a std::function or a pointer, holds, the bodies are those of all that may be put there.
std::optional<ValueRef> BodyRun::callHeld(const Called& Its, const clang::Expr& E, ValueRef Place, ValueRef Object) {
  const std::vector<Body> Held = bodiesIn(E, Place, Object);
  const clang::ValueDecl* Store = storeOfFunction(E, Place);
  if (Store && (Held.empty() || !All.storedIn(*Store).AreAll)) {
    Fact& Call = callTold(Its.At);
    Call.Object = Place;
    Call.Store = Store;
    Call.Signature = signatureOf(E.getType());
    llvm::transform(Held, std::back_inserter(Call.MayRun), [](const Body& Each) { return Each.Function; });
  }
  return followOne(Its, Held);
}

void BodyRun::callBack(const Called& Its) {
  const auto Has = [&](Trait Wanted) {
    return Its.Function && llvm::any_of(All.rowsOf(*Its.Function), [&](const OverlayRow* Each) { return Each->What->Its == Wanted; });
  };
  if (Has(Trait::CallsOnce)) {
    return;
  }
  const bool GivesElements =
      Its.Function && isOfLibrary(*Its.Function) && Its.Function->getIdentifier() && takesEach(Its.Function->getName());
  for (const auto& [E, Given] : llvm::zip(Its.Expressions, Its.Arguments)) {
    Called Inner{Its.At, nullptr, nullptr, {}, {}};
    if (GivesElements) {
      Inner.Arguments.push_back(Its.Arguments[0]);
    }
    followOne(Inner, bodiesIn(*E, Given), Has(Trait::CallsEach));
  }
}

/// `torch::autograd::Function<T>::apply`: T::forward at once, T::backward later.
std::optional<ValueRef> BodyRun::applyFunction(const Called& Its) {
  const auto* Class = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Its.Function->getDeclContext());
  const bool IsApply = Class && Class->getName() == "Function" && Its.Function->getIdentifier() && Its.Function->getName() == "apply";
  const clang::CXXRecordDecl* Applied = IsApply ? Class->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl() : nullptr;
  if (!Applied || !Applied->hasDefinition()) {
    return std::nullopt;
  }
  if (const clang::CXXMethodDecl* Backward = methodOf(*Applied, "backward")) {
    followOne({Its.At, nullptr, nullptr, {}, {}}, {{Backward, nullptr, false, {}, "", true}}, false);
  }
  Called Inner{Its.At, methodOf(*Applied, "forward"), nullptr, {}, Its.Arguments};
  Inner.Arguments.insert(Inner.Arguments.begin(), All.Known.unknown());
  return Inner.Function ? followOne(Inner, {{Inner.Function}}) : std::nullopt;
}

}  // namespace graphgen::check::flow
