// SPDX-License-Identifier: Apache-2.0
//
// Places and what is in them.
#include "check/code/KnownValues.h"
#include "check/code/Spelled.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"

#include "llvm/Support/SaveAndRestore.h"

namespace graphgen::check::flow {

/// Of what nothing set: the part of the object that it was copied from, or what was there when the callable began.
ValueRef BodyRun::read(Path Of) {
  if (const ValueRef Set = Now.at(Of)) {
    return Set;
  }
  const Path Parent = Of->parent();
  if (Parent && Of->last().What == Step::Kind::Element) {
    if (const ValueRef Any = Now.at(All.Places.anyElement(Parent))) {
      return Any;
    }
  }
  ValueRef Joined = nullptr;
  if (Parent && Of->last().What == Step::Kind::AnyElement) {
    for (const auto& [Each, Known] : Now.within(Parent)) {
      Joined = Each->parent() == Parent && Each->last().What == Step::Kind::Element ? All.Known.both(Joined, Known) : Joined;
    }
  }
  bool IsPart = true;
  for (Path Below = Of, Each = Parent; Each; Below = Each, Each = Each->parent()) {
    const ValueRef Set = Now.at(Each);
    if (Set && Set->Unset) {
      constexpr unsigned MostCopies = 16;  // objects may be copies of one another in turn
      const llvm::SaveAndRestore Deeper(Copies, Copies + 1);
      return Copies > MostCopies ? All.Known.unknown() : All.Known.join(Joined, read(All.Places.moved(Of, Each, Set->Unset)));
    }
    if (Set && Set->MayBeOther) {
      Value Unknown = Value::unknown();
      for (const Path Source : Set->Sources) {
        Unknown.Sources.push_back(Source == Each ? Of : Source);
      }
      return All.Known.keep(std::move(Unknown));
    }
    IsPart &= Below->last().What != Step::Kind::Pointee;
    if (Set && IsPart && !isLeaf(All.typeOf(Each))) {  // made again
      return Joined ? Joined : All.Known.unknown();
    }
  }
  if (const ValueRef Constant = constantIn(Of)) {
    return Constant;
  }
  return Of->isOutside() ? All.Known.join(Joined, All.initial(Of)) : Joined ? Joined : All.Known.unknown();
}

/// The one expression that the unit gives a constant, or a member or variable that nothing else can give a value; else null.
static const clang::Expr* onlyValueOf(Path Of, const UnitIndex& Unit) {
  const auto* Variable = Of->parent() ? nullptr : llvm::dyn_cast_if_present<clang::VarDecl>(Of->declared());
  const auto* Member = Of->parent() ? Of->last().Member : nullptr;
  const clang::ValueDecl* Named = Variable ? static_cast<const clang::ValueDecl*>(Variable) : Member;
  const bool IsPlain = Named && llvm::is_contained({TypeKind::Number, TypeKind::Tensor}, kindOf(Named->getType()));
  if (!Named || !Of->outlivesCall() || !IsPlain || (Variable && Variable->isStaticLocal())) {
    return nullptr;
  }
  if (Variable && Variable->getType().isConstQualified()) {
    return Variable->getAnyInitializer();
  }
  const std::vector<const clang::Expr*> Values = Unit.valuesOf(*Named);
  const bool IsUpdated = llvm::any_of(Unit.writesTo(*Named), [](const StateWrite& Each) { return !Each.Value || Each.IsUpdate; });
  return Values.size() == 1 && !IsUpdated && isGivenByUnitAlone(*Named) && !isHandedOn(*Named, Unit) ? Values[0] : nullptr;
}

/// A tensor of the host that outlives the call is not the call's own.
ValueRef BodyRun::keptIn(Path Of, ValueRef Known) {
  if (!Known || Known->On != Device::Host || !Known->Made || llvm::is_contained(Known->Sources, Of)) {
    return Known;
  }
  Value Kept = *Known;
  Kept.Sources.push_back(Of);
  return All.Known.keep(std::move(Kept));
}

/// What is known of a place from the one value that it is ever given; null where there is none. Of a tensor no more than its form.
ValueRef BodyRun::constantIn(Path Of) {
  const auto [Found, IsNew] = All.Constants.try_emplace(Of, nullptr);
  const clang::Expr* Only = IsNew ? onlyValueOf(Of, All.Unit) : nullptr;
  if (!Only) {
    return All.Constants.lookup(Of);
  }
  std::vector<Fact> Unheard;
  std::vector<Fact>* const Heard = std::exchange(Telling, &Unheard);
  const bool IsTensor = kindOf(Only->getType()) == TypeKind::Tensor;
  ValueRef Its = value(IsTensor ? &spelled(*Only) : Only);  // what is assigned is a temporary, which it leads to
  Telling = Heard;
  const auto* Variable = llvm::dyn_cast_if_present<clang::VarDecl>(Of->named());
  if (Variable && Variable->getType().isConstQualified()) {
    return All.Constants[Of] = keptIn(Of, Its);
  }
  if (Its && IsTensor) {
    Value Formed = *All.initial(Of);
    Formed.Type = Its->Type;
    Formed.Dimensions = Its->Dimensions;
    const auto IsRegistered = [](const StateUse& Each) {
      return Each.Called->getIdentifier() && Each.Called->getName().starts_with("register_");
    };
    if (Its->On == Device::Host && llvm::none_of(All.Unit.usesOf(*Of->named()), IsRegistered)) {  // no module moves it
      Formed.On = Its->On;
      Formed.Made = Its->Made;
    }
    Its = All.Known.keep(std::move(Formed));
  }
  const bool IsConstant = Its && (Its->How == Change::Never || IsTensor);
  return All.Constants[Of] = IsConstant ? Its : nullptr;
}

ValueRef BodyRun::load(ValueRef Place) {
  if (!Place) {
    return nullptr;
  }
  ValueRef Joined = nullptr;
  if (Place->MayBeOther || Place->Targets.empty()) {
    Value Unknown = Value::unknown();
    if (Place->Targets.empty()) {
      Unknown.Sources = Place->Sources;
    }
    Joined = All.Known.keep(std::move(Unknown));
  }
  for (const Target& Each : Place->Targets) {
    Joined = All.Known.join(Joined, read(Each.Of));
  }
  const bool IsGuess = Place->Targets.size() == 1 && !Place->Targets[0].IsExact;
  return asWritten(IsGuess && Joined ? All.Known.perhaps(Joined) : Joined);
}

/// Any element of a container that was made without one.
bool BodyRun::isFirstOf(Path Element) const {
  const ValueRef Whole = Element->parent() && Element->last().What == Step::Kind::AnyElement ? Now.at(Element->parent()) : nullptr;
  return Whole && !Whole->MayBeOther && !Whole->Unset && Now.within(Element->parent()).size() == 1;
}

void BodyRun::store(ValueRef Place, ValueRef New) {
  if (!Place || !New) {
    return;
  }
  const bool IsSure = Place->target() && !Place->target()->isOneOfSeveral();
  for (const Target& Each : Place->Targets) {
    const ValueRef Both = IsSure || isFirstOf(Each.Of) ? New : All.Known.join(read(Each.Of), New);
    Now.clear(Each.Of);
    Now.set(Each.Of, Each.Of->isOneOfSeveral() ? All.Known.orOther(Both) : Both);
  }
}

/// What is assigned to one of several elements may be in each.
void BodyRun::mayOverwrite(ValueRef Place, ValueRef New) {
  for (const Target& To : Place ? llvm::ArrayRef<Target>(Place->Targets) : llvm::ArrayRef<Target>()) {
    const Path Whole = To.Of->parent() && To.Of->last().What == Step::Kind::AnyElement ? To.Of->parent() : nullptr;
    for (const auto& [Each, Known] : Whole ? Now.within(Whole) : std::vector<std::pair<Path, ValueRef>>()) {
      if (Each->parent() == Whole && Each != To.Of) {
        Now.set(Each, All.Known.join(Known, New));
      }
    }
  }
}

void BodyRun::copyObject(Path To, ValueRef From) {
  const Path Source = From ? From->target() : nullptr;
  if (Source == To) {
    return;
  }
  std::vector<std::pair<Path, ValueRef>> Parts = Source ? Now.within(Source) : std::vector<std::pair<Path, ValueRef>>();
  Now.clear(To);
  Value Whole = Source ? *read(Source) : Value::unknown();
  if (!Source && From) {
    Whole.Sources = From->Sources;
  }
  if (Source && !Whole.Unset && Source->isOutside()) {
    Whole.Unset = Source;
  }
  Now.set(To, All.Known.keep(std::move(Whole)));
  for (const auto& [Each, Known] : Parts) {
    if (Each != Source) {
      Now.set(All.Places.moved(Each, Source, To), Known);
    }
  }
}

void BodyRun::put(Path To, clang::QualType Type, ValueRef New) {
  if (!New) {
    return;
  }
  if (Type->isReferenceType() || isLeaf(Type)) {
    Now.clear(To);
    Now.set(To, New);
  } else {
    copyObject(To, New);
  }
}

/// What a container or tuple is, together with its elements.
ValueRef BodyRun::contentOf(ValueRef Place) {
  ValueRef Both = load(Place);
  if (const Path Whole = Place ? Place->target() : nullptr) {
    for (const auto& [Each, Known] : Now.within(Whole)) {
      Both = Each->parent() == Whole ? All.Known.both(Both, Known) : Both;
    }
    if (Both && Whole->isOutside() && !Both->Unset) {
      Value Its = *Both;
      Its.Unset = Whole;
      Both = All.Known.keep(std::move(Its));
    }
  }
  return Both;
}

void BodyRun::forget(ValueRef Place) {
  for (const Target& Each : Place ? llvm::ArrayRef<Target>(Place->Targets) : llvm::ArrayRef<Target>()) {
    const ValueRef Old = read(Each.Of);
    Value Unknown = Value::unknown();
    if (Each.Of->isOutside()) {  // perhaps as it was
      Unknown.Sources = {Each.Of};
    }
    if (Old) {
      Unknown.Classes = Old->Classes;
      Unknown.MayDerive = Old->MayDerive;
    }
    Now.clear(Each.Of);
    Now.set(Each.Of, All.Known.keep(std::move(Unknown)));
  }
}

void BodyRun::lookThrough(const clang::Expr& E, ValueRef Pointer) {
  if (Pointer && Pointer->Made && !E.getType()->isRecordType()) {
    Fact& Told = tell(Fact::Kind::Look, E);
    Told.Object = Pointer;
    Told.Expressions = {llvm::cast<clang::Expr>(*E.child_begin())};
  }
}

void BodyRun::lookAt(const clang::Expr& Element, const clang::Expr& Index) {
  if (const ValueRef Known = value(&Index); Known && Known->Data) {
    Fact& Told = tell(Fact::Kind::Look, Element);
    Told.From = Known;
    Told.Expressions = {&Index};
  }
}

ValueRef BodyRun::step(ValueRef Place, llvm::function_ref<Path(Path)> Way) {
  if (!Place) {
    return nullptr;
  }
  Value Made;
  Made.MayBeOther = Place->MayBeOther || Place->Targets.empty();
  if (Place->Targets.empty()) {
    Made.Sources = Place->Sources;
  }
  for (const Target& Each : Place->Targets) {
    Made.add({Way(Each.Of), Each.IsExact, Each.Through});
  }
  return All.Known.keep(std::move(Made));
}

ValueRef BodyRun::elementOf(ValueRef Whole, ValueRef Index) {
  if (!Index || !Index->Number) {
    const ValueRef Any = anyElementOf(Whole);
    return Any ? All.Known.perhaps(Any) : Any;
  }
  return step(Whole, [&](Path Each) { return All.Places.element(Each, *Index->Number); });
}

ValueRef BodyRun::anyElementOf(ValueRef Whole) {
  return step(Whole, [&](Path Each) { return All.Places.anyElement(Each); });
}

/// The `second` of a map's element is what the map holds.
ValueRef BodyRun::fieldOf(ValueRef Whole, const clang::FieldDecl& Member) {
  return step(Whole, [&](Path Each) {
    const bool IsElement = Each->parent() && (Each->last().What == Step::Kind::AnyElement || Each->last().What == Step::Kind::Element);
    const bool IsHeld = IsElement && Member.getName() == "second" && kindOf(All.typeOf(Each->parent())) == TypeKind::Map;
    return IsHeld ? Each : All.Places.field(Each, Member);
  });
}

ValueRef BodyRun::pointeeOf(ValueRef Whole) {
  return step(Whole, [&](Path Each) { return All.Places.pointee(Each); });
}

}  // namespace graphgen::check::flow
