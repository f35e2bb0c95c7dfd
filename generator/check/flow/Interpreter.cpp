// SPDX-License-Identifier: Apache-2.0
#include "check/flow/Interpreter.h"

#include "check/Annotations.h"
#include "check/code/Library.h"
#include "check/flow/Annotated.h"
#include "check/flow/BodyRun.h"
#include "check/flow/Learned.h"
#include "check/flow/Types.h"

#include "clang/AST/ASTContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

namespace graphgen::check::flow {
namespace {

constexpr size_t MostDepth = 64;        // of calls
constexpr unsigned MostSteps = 200000;  // of one callable

bool hasFlag(const annotation::Spec& Spec, annotation::Flag Flag) {
  return llvm::any_of(Spec.Flags, [&](const annotation::FlagUse& Each) { return Each.Value == Flag; });
}

void applySaid(Path Of, const annotation::Bound& Bound, Value& Known) {
  const annotation::Spec& Spec = *Bound.Said;
  if (Spec.What == annotation::Spec::Kind::Unseen) {
    return;
  }
  if (Spec.What == annotation::Spec::Kind::Scalar) {
    Known.How = Spec.Scalar == annotation::ScalarKind::Const ? Change::Never
                : Spec.Scalar == annotation::ScalarKind::Key ? Change::PerKey
                                                             : Change::EachCall;
    if (Known.How == Change::Never) {
      Known.Sources.clear();
    }
    return;
  }
  Known.Type = Spec.Type;
  Known.Dimensions = Spec.Dims.size();
  Known.On = hasFlag(Spec, annotation::Flag::Host) ? Device::Host : Device::Callables;
  if (hasFlag(Spec, annotation::Flag::Grad)) {
    Known.Differentiable.push_back(Of);
  }
}

/// No pointer or reference leads there.
bool isItself(Path Of) {
  const clang::ValueDecl* Variable = Of->parent() ? nullptr : Of->declared();
  return Of->parent() ? Of->last().What != Step::Kind::Pointee : Variable && !Variable->getType()->isReferenceType();
}

}  // namespace

const Stored& Interpreter::storedIn(const clang::ValueDecl& Store) {
  const auto [Found, IsNew] = Puts.try_emplace(&Store);
  if (IsNew) {
    Found->second = flow::storedIn(Store, Unit);
  }
  return Found->second;
}

clang::QualType Interpreter::typeOf(Path Of) const {
  if (!Of->parent()) {
    if (Of->from() == Root::Object) {
      return Object ? Object->getASTContext().getCanonicalTagType(Object) : clang::QualType();
    }
    return Of->declared() ? Of->declared()->getType().getNonReferenceType() : clang::QualType();
  }
  const Step& Last = Of->last();
  if (Last.What == Step::Kind::Field) {
    return Last.Member->getType().getNonReferenceType();
  }
  const clang::QualType Whole = typeOf(Of->parent());
  if (Whole.isNull() || Of->isOfReference()) {
    return Whole;
  }
  return Last.What == Step::Kind::Pointee ? pointeeOf(Whole) : elementOf(Whole, static_cast<unsigned>(Last.Index));
}

/// What all annotations say.
void Interpreter::applyAnnotations(Path Of, Value& Said) {
  std::optional<Value> All;
  const auto Add = [&](const Value& One) { All = All ? *Known.join(Known.keep(*All), Known.keep(One)) : One; };
  for (const scan::ScannedCallable* Each : Annotations) {
    const std::vector<const annotation::Bound*> Bounds = boundsOf(*Each, Of);
    if (Bounds.empty()) {
      Add(Said);
    }
    for (const annotation::Bound* Bound : Bounds) {
      Value One = Said;
      applySaid(Of, *Bound, One);
      Add(One);
    }
  }
  Said = All.value_or(Said);
}

/// What all annotations agree on.
static std::optional<int64_t> agreed(llvm::ArrayRef<const scan::ScannedCallable*> Annotations,
                                     llvm::function_ref<std::optional<int64_t>(const scan::ScannedCallable&)> Said) {
  std::optional<int64_t> Known;
  for (const scan::ScannedCallable* Each : Annotations) {
    const std::optional<int64_t> One = Said(*Each);
    if (!One || (Known && *Known != *One)) {
      return std::nullopt;
    }
    Known = One;
  }
  return Known;
}

std::optional<int64_t> Interpreter::sizeOf(Path Of, int64_t Dimension) const {
  return agreed(Annotations, [&](const scan::ScannedCallable& Each) { return flow::sizeOf(Each, Of, Dimension); });
}

std::optional<int64_t> Interpreter::countOf(Path Of) const {
  return agreed(Annotations, [&](const scan::ScannedCallable& Each) { return flow::countOf(Each, Of); });
}

bool Interpreter::isObject(const clang::ParmVarDecl& Parameter) const {
  return llvm::any_of(Annotations, [&](const scan::ScannedCallable* Each) {
    const annotation::Bound* Bound = argumentOf(*Each, Parameter);
    return Bound && annotation::isObject(Bound->Kind);
  });
}

bool Interpreter::hasManyForms(Path Of) const {
  const auto IsOne = [&](const scan::ScannedCallable* Each) {
    const annotation::Bound* Bound = boundOf(*Each, Of);
    const auto IsFixed = [](const annotation::Expr& Value) { return Value.Op == annotation::Expr::Kind::Integer; };
    return Bound && !Bound->IsByPosition && llvm::all_of(Bound->Said->Dims, IsFixed) &&
           (!Bound->Said->Repeat || IsFixed(*Bound->Said->Repeat));
  };
  return Of->from() == Root::Argument && (Annotations.size() > 1 || !llvm::all_of(Annotations, IsOne));
}

Value Interpreter::initialOf(Path Of, clang::QualType Type) {
  Value Said;
  const clang::FieldDecl* Member = Of->last().Member;
  const clang::ValueDecl* Declared = Member ? Member : Of->parent() ? nullptr : Of->declared();
  const clang::ValueDecl* Named = storeOfPath(Of);
  if (Type.isNull() && Of->parent() && Of->outlivesCall()) {
    return Value::to(Of);  // of a container of LibTorch's, say: whichever part
  }
  const bool IsGiven = !Of->parent() && Of->from() == Root::Given;
  if (Declared && Declared->getType()->isReferenceType() && Of->from() != Root::Argument && !IsGiven) {
    return Value::to(Places.pointee(Of));
  }
  switch (kindOf(Type)) {
    case TypeKind::Tensor:
      Said = Value::to(Of);
      if (Named && Of->outlivesCall() && isLearned(*Named, Unit)) {
        Said.Differentiable = {Of};
      }
      break;
    case TypeKind::Pointer:
      Said = Value::to(Places.pointee(Of));
      Said.How = Change::Settled;
      break;
    case TypeKind::Number:
      Said.How = Of->outlivesCall() ? Change::Settled : Annotations.empty() ? Change::PerKey : Change::EachCall;
      Said.Sources = {Of};
      Said.For = Asks::IsThere;
      Said.Made = Named && Of->outlivesCall() && Type->isRecordType() ? storedIn(*Named).Made : nullptr;
      break;
    case TypeKind::Function:
      if (Named && Of->outlivesCall()) {
        Said.Callables = storedIn(*Named).Callables;
      }
      break;
    default:
      if (const clang::CXXRecordDecl* Class = Type.isNull() ? nullptr : Type->getAsCXXRecordDecl()) {
        const bool IsItself = isItself(Of);
        const Stored* Put = !IsItself && Named && Of->outlivesCall() ? &storedIn(*Named) : nullptr;
        const bool IsPut = Put && !Put->Classes.empty();
        Said.Classes = IsPut ? Put->Classes : llvm::SmallVector<const clang::CXXRecordDecl*, 1>{Class};
        Said.MayDerive = IsPut ? !Put->AreAll : !IsItself && !Class->isEffectivelyFinal();
      }
      break;
  }
  if (Of->from() == Root::Argument) {
    applyAnnotations(Of, Said);
  }
  return Said;
}

ValueRef Interpreter::initial(Path Of) {
  ValueRef& Found = Initials[Of];
  if (!Found) {
    const ValueRef Made = Known.keep(initialOf(Of, typeOf(Of)));
    return Initials[Of] = Made;
  }
  return Found;
}

const BodyGraph& Interpreter::graphOf(const clang::FunctionDecl& Definition) {
  std::unique_ptr<BodyGraph>& Made = Graphs[&Definition];
  if (!Made) {
    Made = std::make_unique<BodyGraph>(Definition);
  }
  return *Made;
}

const OperatorBinding& Interpreter::operatorOf(const clang::FunctionDecl& Function) {
  std::unique_ptr<OperatorBinding>& Found = Operators[&Function];
  if (!Found) {
    Found = std::make_unique<OperatorBinding>(operatorBinding(Function));
  }
  return *Found;
}

llvm::ArrayRef<const OverlayRow*> Interpreter::rowsOf(const clang::FunctionDecl& Function) {
  const auto [Found, IsNew] = Rows.try_emplace(&Function);
  if (IsNew) {
    Found->second = overlayOf(Function);
  }
  return Found->second;
}

std::shared_ptr<const Summary> Interpreter::enter(const clang::FunctionDecl& Definition, const State& In, ValueRef Object,
                                                  const clang::Stmt* Call) {
  const Entry Key(&Definition, In.identity(), Object);
  if (const auto Found = Entered.find(Key); Found != Entered.end()) {
    return Found->second;
  }
  if (llvm::is_contained(Running, &Definition) || !graphOf(Definition).graph()) {
    return nullptr;
  }
  if (Running.size() >= MostDepth || Steps >= MostSteps) {
    LeftOut = LeftOut ? LeftOut : Call;
    return nullptr;
  }
  Running.push_back(&Definition);
  Met.insert(&Definition);
  const auto Leave = llvm::make_scope_exit([this] { Running.pop_back(); });
  auto Made = std::make_shared<const Summary>(BodyRun(*this, Definition, In, Object).run());
  Entries.push_back(In);
  Entered.emplace(Key, Made);
  return Made;
}

Value Interpreter::givenTo(const clang::ParmVarDecl& Parameter, Given As) {
  const clang::QualType Type = Parameter.getType();
  const bool IsNumber = kindOf(Type.getNonReferenceType()) == TypeKind::Number;
  if (As == Given::Unknown) {
    Value Nobody = Value::unknown();
    Nobody.How = IsNumber ? Change::PerKey : Nobody.How;
    return Nobody;
  }
  const bool OutlivesCall = As == Given::Kept && !IsNumber;
  const Path Its = OutlivesCall ? Places.kept(Parameter) : isObject(Parameter) ? Places.given(Parameter) : Places.argument(Parameter);
  if (Type->isReferenceType()) {
    return Value::to(Its);
  }
  if (isLeaf(Type)) {
    return *initial(Its);
  }
  Value Parts;
  Parts.Unset = Its;
  return Parts;
}

std::shared_ptr<const Summary> Interpreter::begin(const clang::FunctionDecl& Definition, Given As) {
  const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Definition);
  Object = Method ? Method->getParent() : nullptr;
  Initials.clear();
  Constants.clear();
  Entered.clear();
  Met.clear();
  Steps = 0;
  LeftOut = nullptr;
  State Begin = States.empty();
  for (const clang::ParmVarDecl* Each : Definition.parameters()) {
    Begin.set(Places.variable(*Each), Known.keep(givenTo(*Each, As)));
  }
  const bool HasObject = Method && Method->isInstance();
  const ValueRef On = !HasObject ? nullptr : As == Given::Unknown ? Known.unknown() : Known.keep(Value::to(Places.object()));
  return enter(Definition, Begin, On, /*Call=*/nullptr);
}

std::shared_ptr<const Summary> Interpreter::run(const clang::FunctionDecl& Definition, llvm::ArrayRef<const scan::ScannedCallable*> OfIt) {
  Annotations = OfIt;
  return begin(Definition, Given::Arguments);
}

std::shared_ptr<const Summary> Interpreter::run(const clang::FunctionDecl& Definition, Given As) {
  Annotations = {};
  return begin(Definition, As);
}

}  // namespace graphgen::check::flow
