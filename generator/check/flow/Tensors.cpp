// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's operators: which memory the result shows, what is written, and what is known of the result.
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"
#include "check/torch/Calls.h"
#include "check/torch/Overlay.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {
namespace {

using annotation::DType;
using Kind = Operator::Kind;

bool isOfTensor(Kind Type) { return Type == Kind::Tensor || Type == Kind::OptionalTensor; }
bool isOfTensors(Kind Type) { return Type == Kind::TensorList || Type == Kind::OptionalTensorList; }

bool has(llvm::ArrayRef<const OverlayRow*> Rows, Trait What) {
  return llvm::any_of(Rows, [&](const OverlayRow* Each) { return Each->What->Its == What; });
}

void addNew(llvm::SmallVector<Path, 1>& Into, llvm::ArrayRef<Path> From) {
  for (const Path Each : From) {
    if (Each->isOutside() && !llvm::is_contained(Into, Each)) {
      Into.push_back(Each);
    }
  }
}

/// What a method, or an operator of C++, is called on.
const clang::Expr* objectOf(const clang::Stmt& At) {
  if (const auto* Method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&At)) {
    return Method->getImplicitObjectArgument();
  }
  const auto* Call = llvm::dyn_cast<clang::CallExpr>(&At);
  return Call && Call->getNumArgs() != 0 ? Call->getArg(0) : nullptr;
}

/// Of two tensors; one of the host that has no dimensions is taken along.
Device deviceOf(Device First, Device Other) { return First == Other || isOfGpu(First) ? First : isOfGpu(Other) ? Other : Device::Unknown; }

Sparsity sparsityOf(const Operator& Op, bool IsCoalesced) {
  const bool IsMade = Op.Name == "sparse_coo_tensor";
  return Op.Name == "coalesce" || (IsMade && IsCoalesced) ? Sparsity::Coalesced : IsMade ? Sparsity::Perhaps : Sparsity::Unknown;
}

/// A tensor that shows what `From` shows, or perhaps a copy.
Value viewOf(const Value& From, bool IsPerhaps, bool IsPart, const clang::Expr* Call) {
  Value Made;
  Made.Targets = From.Targets;
  Made.MayBeOther = From.MayBeOther;
  for (Target& Each : Made.Targets) {
    Each.IsView = true;
    Each.IsPart |= IsPart;
    if (IsPerhaps) {
      Each.IsExact = false;
      Each.Through = Each.Through ? Each.Through : Call;
    }
  }
  return Made;
}

bool showsPart(const Operator& Op) {
  return llvm::is_contained({"narrow", "slice", "select", "index", "diagonal", "unbind", "split", "chunk", "tensor_split"}, Op.Name);
}

bool isTransposition(const Operator& Op) { return llvm::is_contained({"transpose", "t", "swapaxes", "swapdims"}, Op.Name); }

/// Of what its schema says to be perhaps a copy: the tensor has another dtype or device or order of dimensions, or the call asks for a
/// copy.
bool isSurelyCopy(const Operator& Op, const Value& From, const Value& Said, bool IsAsked) {
  const bool IsConverted = From.Type && Said.Type && From.Type != Said.Type;
  const bool IsMoved = (From.On == Device::Host) != (Said.On == Device::Host) && From.On != Device::Unknown && Said.On != Device::Unknown &&
                       Said.On != Device::Unsaid;
  return IsAsked || IsConverted || IsMoved || (Op.Name == "contiguous" && From.IsTransposed);
}

}  // namespace

bool tellsForm(const clang::FunctionDecl& Function) { return has(overlayOf(Function), Trait::TellsForm); }

/// The arguments, and what outlives the call, by which the tensor's sizes may differ between calls.
llvm::SmallVector<Path, 1> BodyRun::formedBy(ValueRef Tensor) {
  llvm::SmallVector<Path, 1> By;
  if (Tensor) {
    llvm::copy_if(Tensor->Sources, std::back_inserter(By), [&](Path Each) { return All.hasManyForms(Each); });
    for (const Target& Each : Tensor->Targets) {
      if (All.hasManyForms(Each.Of) || Each.Of->outlivesCall()) {
        By.push_back(Each.Of);
      }
    }
  }
  return By;
}

/// Of a tensor from outside what it is in the next call as well, unless something makes it another one.
ValueRef BodyRun::formOf(const Called& Its) {
  Value Made;
  Made.How = Change::PerKey;
  const ValueRef Tensor = Its.Object ? load(Its.Object) : nullptr;
  for (const Target& Each : Tensor ? llvm::ArrayRef<Target>(Tensor->Targets) : llvm::ArrayRef<Target>()) {
    if (Each.Of->outlivesCall()) {
      Made.Sources.push_back(Each.Of);
      Made.How = Change::Settled;
    }
  }
  Made.For = Its.Function->getName() == "defined" ? Asks::IsThere : Asks::Nothing;
  Made.On = Tensor ? Tensor->On : Device::Unknown;
  Made.Type = Tensor ? Tensor->Type : std::nullopt;
  const bool IsCount = Tensor && Tensor->Dimensions && llvm::is_contained({"dim", "ndimension"}, Its.Function->getName());
  Made.Number = IsCount ? std::optional<int64_t>(*Tensor->Dimensions) : std::nullopt;
  return All.Known.keep(std::move(Made));
}

/// What one of the arguments is: a tensor itself, of a list its elements together.
ValueRef BodyRun::tensorsIn(ValueRef Given, const Operator::Parameter& Its) {
  return isOfTensors(Its.Type) ? load(anyElementOf(Given)) : Given && !Given->Targets.empty() ? load(Given) : Given;
}

/// Whether the tensor that an expression makes, or shows, was written by it.
bool BodyRun::writesAlready(const clang::Expr* E) {
  const auto* Call = E ? llvm::dyn_cast<clang::CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
  const clang::FunctionDecl* Function = Call ? Call->getDirectCallee() : nullptr;
  const Operator* Called = Function ? All.operatorOf(*Function).Called : nullptr;
  return Called && (Called->isInPlace() || writesAlready(objectOf(*Call)));
}

/// How often what an argument holds is another one: a number, a list of numbers, a text.
Change BodyRun::heldIn(const clang::Expr& Given, ValueRef Known) {
  if (llvm::isa<clang::StringLiteral>(Given.IgnoreUnlessSpelledInSource())) {
    return Change::Never;
  }
  if (isLeaf(Given.getType())) {
    const ValueRef Its = seen(Given, Known);
    return Its ? Its->How : Change::EachCall;
  }
  const Path Whole = Known ? Known->target() : nullptr;
  if (!Whole || read(Whole)->MayBeOther || read(Whole)->Unset) {
    return Change::EachCall;
  }
  const auto Parts = Now.within(Whole);
  Change Most = Change::Never;
  for (const auto& [Each, Its] : Parts) {
    const bool IsLast = Each != Whole && llvm::none_of(Parts, [Of = Each](const auto& One) { return One.first->parent() == Of; });
    Most = std::max(Most, IsLast || Its->MayBeOther ? Its->How : Change::Never);
  }
  return Most;
}

/// The memory of a tensor of the host holds what nothing follows from here on.
void BodyRun::wrote(ValueRef Tensor) {
  if (Tensor && Tensor->On == Device::Host && Tensor->Made) {
    Now.set(All.Places.fresh(*Tensor->Made), All.Known.unknown());
  }
}

/// The tensor as it is now: its values may be others than when it was made.
ValueRef BodyRun::asWritten(ValueRef Tensor) {
  const bool IsOfHost = Tensor && Tensor->On == Device::Host && Tensor->Made && Tensor->How != Change::EachCall;
  if (!IsOfHost || !Now.at(All.Places.fresh(*Tensor->Made))) {
    return Tensor;
  }
  Value Changed = *Tensor;
  Changed.How = Change::EachCall;
  return All.Known.keep(std::move(Changed));
}

/// By integers, slices and tensors without dimensions an index gives a view, by other tensors a copy; nothing where that is unknown.
std::optional<bool> BodyRun::isSlicing(ValueRef Indices) {
  const std::vector<ValueRef> Each = elementsOf(Indices);
  const auto IsTensor = [](ValueRef One) { return One->mayBeTensor() && !One->MayBeOther && One->Dimensions != 0U; };
  if (llvm::any_of(Each, IsTensor)) {
    return false;
  }
  const bool IsKnown = lengthOf(Indices) && llvm::none_of(Each, [](ValueRef One) { return One->MayBeOther; });
  return IsKnown ? std::optional(true) : std::nullopt;
}

ValueRef BodyRun::operatorCall(const Called& Its, const OperatorBinding& Bound) {
  const Operator& Op = *Bound.Called;
  const auto* E = llvm::cast<clang::Expr>(&Its.At);
  const llvm::ArrayRef<const OverlayRow*> Rows = All.rowsOf(*Its.Function);
  std::vector<ValueRef> Given;
  const size_t Methods = Its.Object ? 1 : 0;
  if (Its.Object) {
    Given.push_back(Its.Object);
  }
  llvm::append_range(Given, Its.Arguments);
  Given.resize(std::min(Given.size(), Bound.Parameters.size()));

  Value Made;
  Made.Made = E;
  Made.How = Op.has(NondeterministicSeeded) || Op.parameter("deleter") ? Change::EachCall : Change::Never;
  Value Said = noOptions();
  ValueRef Shown = nullptr;   // the argument whose tensor is the result itself
  std::optional<Value> View;  // of what the result shows
  ValueRef Of = nullptr;      // that
  const bool IsIndex = Op.Name == "index" && Op.Overload == "TensorIndex";
  const std::optional<bool> IsSlicing = IsIndex ? isSlicing(Given.back()) : std::nullopt;
  bool IsFirst = true, IsOfNumbers = true, IsCoalesced = false, IsLike = false, IsAsked = false;
  for (const auto& [Place, Each] : llvm::enumerate(Given)) {
    const Operator::Parameter& Parameter = *Bound.Parameters[Place];
    const bool IsOfTensors = isOfTensor(Parameter.Type) || isOfTensors(Parameter.Type);
    if (!IsOfTensors || !Each) {
      const bool IsGiven = Place >= Methods && !llvm::isa<clang::CXXDefaultArgExpr>(Its.Expressions[Place - Methods]);
      if (IsGiven && llvm::is_contained({"dtype", "device", "t"}, Parameter.Name)) {
        say(*Its.Expressions[Place - Methods], Each, Said);
      }
      if (IsGiven && Parameter.Name == "is_coalesced") {
        const ValueRef Asked = kindOf(Its.Expressions[Place - Methods]->getType()) == TypeKind::Optional ? load(pointeeOf(Each)) : Each;
        IsCoalesced = Asked && Asked->Number == 1;
      }
      IsAsked |= IsGiven && Parameter.Name == "copy" && Each && Each->Number == 1;
      if (IsGiven) {
        Made.How = std::max(Made.How, heldIn(*Its.Expressions[Place - Methods], Each));
      }
      continue;
    }
    const ValueRef Tensor = tensorsIn(Each, Parameter);
    IsOfNumbers = false;
    const bool IsOfMetadata = Op.has(InplaceView) || has(Rows, Trait::ChangesMemory) || has(Rows, Trait::TurnsGrad);
    if (Parameter.Memory.IsWritten && !IsOfMetadata && Tensor && (Tensor->MayBeOther || !Tensor->Targets.empty())) {
      Fact& Told = tell(Fact::Kind::Write, Its.At);
      Told.Function = Its.Function;
      Told.Object = Tensor;
      Told.IsLikely = !Parameter.Memory.IsPerhaps;
      Told.IsFurther = writesAlready(objectOf(Its.At));
    }
    if (Parameter.Memory.IsWritten) {
      wrote(Tensor);
      if (Op.has(InplaceView) && Tensor) {
        Value Reshaped = *Tensor;
        Reshaped.Dimensions = std::nullopt;
        store(Each, All.Known.keep(std::move(Reshaped)));
      }
    }
    for (const Operator::Result& Result : Op.Results) {
      if (Result.Memory.Set == 0 || Result.Memory.Set != Parameter.Memory.Set || !Tensor) {
        continue;
      }
      if (Result.Memory.IsWritten) {
        Shown = E->isGLValue() ? Each : Tensor;
      } else {
        Of = Tensor;
        View = viewOf(*Tensor, Parameter.Memory.IsPerhaps && IsSlicing != true, showsPart(Op), E);
      }
    }
    if (!Tensor) {
      continue;
    }
    if (Op.isFactory()) {  // of its shape
      Made.On = Tensor->On;
      Made.Type = Tensor->Type;
      IsLike = true;
      continue;
    }
    addNew(Made.Differentiable, Tensor->Differentiable);
    for (const auto& Cut : Tensor->Cuts) {
      if (!llvm::is_contained(Made.Cuts, Cut)) {
        Made.Cuts.push_back(Cut);
      }
    }
    addNew(Made.Sources, Tensor->Sources);
    for (const Target& One : Tensor->Targets) {
      addNew(Made.Sources, {One.Of});
    }
    Made.How = std::max(Made.How, Tensor->How);
    if (Op.Name == "to" && !IsFirst) {  // to.other
      Said.On = Tensor->On;
      Said.Type = Tensor->Type;
    } else if (IsFirst) {
      Made.On = Tensor->On;
      Made.Made = Tensor->On == Device::Host && Tensor->Made ? Tensor->Made : E;
      Made.Type = Op.has(Pointwise) || View || has(Rows, Trait::KeepsType) ? Tensor->Type : std::nullopt;
    } else {
      Made.Type = Made.Type == Tensor->Type ? Made.Type : std::nullopt;
      Made.On = deviceOf(Made.On, Tensor->On);
    }
    IsFirst = false;
  }
  if (Shown) {
    return Shown;
  }
  const bool GivesTensor =
      llvm::any_of(Op.Results, [](const Operator::Result& Each) { return isOfTensor(Each.Type) || isOfTensors(Each.Type); });
  if (!GivesTensor) {
    Value Number;
    const bool IsOfHost = Made.On == Device::Host && Made.How <= Change::PerKey;
    Number.Data = IsOfNumbers || IsOfHost || has(Rows, Trait::TellsForm) ? nullptr : E;
    Number.How = IsOfHost ? Made.How : has(Rows, Trait::TellsForm) ? Change::PerKey : Change::EachCall;
    Number.Number = has(Rows, Trait::TellsForm) ? formOf(Op, Given) : std::nullopt;
    Number.Sources = has(Rows, Trait::TellsForm) && Its.Object ? formedBy(load(Its.Object)) : Number.Sources;
    return E->getType()->isVoidType() ? nullptr : All.Known.keep(std::move(Number));
  }
  if (has(Rows, Trait::CutsGradient) || read(All.Places.gradMode())->Number == 0) {
    for (const Path Each : Made.Differentiable) {
      Made.Cuts.emplace_back(Each, E);
    }
    Made.Differentiable.clear();
  }
  const bool IsMade = IsFirst && !IsLike && (Op.parameter("device") || Op.isFactory());
  Made.On = Said.On != Device::Unsaid ? Said.On : IsMade || has(Rows, Trait::MakesOnHost) ? Device::Host : Made.On;
  Made.On = Op.Name == "cpu" ? Device::Host : Op.Name == "cuda" ? Device::Gpu : Op.Name == "pin_memory" ? Device::Unknown : Made.On;
  Made.Made = Made.On == Device::Host ? Made.Made : E;
  Made.How = has(Rows, Trait::MakesOnHost) ? Change::PerKey : Made.How;
  Made.Dimensions = dimensionsOf(Its, Bound, Given);
  Made.Sparse = sparsityOf(Op, IsCoalesced);
  if (Made.Made == E) {
    Now.clear(All.Places.fresh(*E));
  }
  if (Said.Type || Op.parameter("non_blocking")) {
    Made.Type = Said.Type ? Said.Type : Op.parameter("dtype") && Said.On == Device::Unsaid ? std::nullopt : Made.Type;
  } else if (has(Rows, Trait::GivesMask)) {
    Made.Type = DType::Bool;
  } else if (has(Rows, Trait::GivesPlaces)) {
    Made.Type = DType::I64;
  }
  if (View && IsSlicing != false && !isSurelyCopy(Op, *Of, Said, IsAsked)) {
    Made.IsTransposed = isTransposition(Op) != Of->IsTransposed && (isTransposition(Op) || Op.Name == "detach");
    Made.Targets = View->Targets;
    Made.MayBeOther = View->MayBeOther;
  }
  if (kindOf(E->getType()) == TypeKind::Tensor) {
    return All.Known.keep(std::move(Made));
  }
  // Several tensors: each part is as the one, but for the dtype of places.
  const Path Whole = All.Places.fresh(*E);
  Now.clear(Whole);
  Now.set(Whole, All.Known.keep(Value()));
  if (has(Rows, Trait::GivesPlacesSecond) && kindOf(E->getType()) == TypeKind::Tuple) {
    Value Places = Made;
    Places.Type = DType::I64;
    Now.set(All.Places.element(Whole, 1), All.Known.keep(std::move(Places)));
    Now.set(All.Places.element(Whole, 0), All.Known.keep(std::move(Made)));
    return All.Known.keep(Value::to(Whole));
  }
  Now.set(All.Places.anyElement(Whole), All.Known.keep(std::move(Made)));
  return All.Known.keep(Value::to(Whole));
}

}  // namespace graphgen::check::flow
