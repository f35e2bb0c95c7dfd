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

bool has(const clang::FunctionDecl& Function, Trait What) {
  return llvm::any_of(overlayOf(Function), [&](const OverlayRow* Each) { return Each->What->Its == What; });
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

/// A tensor that shows what `From` shows, or perhaps a copy.
Value viewOf(const Value& From, bool IsPerhaps, const clang::Expr* Call) {
  Value Made;
  Made.Targets = From.Targets;
  Made.MayBeOther = From.MayBeOther;
  for (Target& Each : Made.Targets) {
    Each.IsView = true;
    if (IsPerhaps) {
      Each.IsExact = false;
      Each.Through = Each.Through ? Each.Through : Call;
    }
  }
  return Made;
}

}  // namespace

bool tellsForm(const clang::FunctionDecl& Function) { return has(Function, Trait::TellsForm); }

/// Of a tensor from outside what it is in the next call as well, unless somebody makes it another one.
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
  Made.On = Tensor ? Tensor->On : Device::Unknown;
  Made.Type = Tensor ? Tensor->Type : std::nullopt;
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

ValueRef BodyRun::operatorCall(const Called& Its, const OperatorBinding& Bound) {
  const Operator& Op = *Bound.Called;
  const auto* E = llvm::cast<clang::Expr>(&Its.At);
  std::vector<ValueRef> Given;
  if (Its.Object) {
    Given.push_back(Its.Object);
  }
  llvm::append_range(Given, Its.Arguments);
  Given.resize(std::min(Given.size(), Bound.Parameters.size()));

  Value Made;
  Made.Made = E;
  ValueRef Shown = nullptr;   // the argument whose tensor is the result itself
  std::optional<Value> View;  // of what the result shows
  bool IsFirst = true, IsOfNumbers = true;
  for (const auto& [Place, Each] : llvm::enumerate(Given)) {
    const Operator::Parameter& Parameter = *Bound.Parameters[Place];
    const bool IsOfTensors = isOfTensor(Parameter.Type) || isOfTensors(Parameter.Type);
    if (!IsOfTensors || !Each) {
      continue;
    }
    const ValueRef Tensor = tensorsIn(Each, Parameter);
    IsOfNumbers = false;
    const bool IsOfMetadata = Op.has(InplaceView) || has(*Its.Function, Trait::ChangesMemory) || has(*Its.Function, Trait::TurnsGrad);
    if (Parameter.Memory.IsWritten && !IsOfMetadata && Tensor && (Tensor->MayBeOther || !Tensor->Targets.empty())) {
      Fact& Told = tell(Fact::Kind::Write, Its.At);
      Told.Function = Its.Function;
      Told.Object = Tensor;
      Told.IsLikely = !Parameter.Memory.IsPerhaps;
      Told.IsFurther = writesAlready(objectOf(Its.At));
    }
    for (const Operator::Result& Result : Op.Results) {
      if (Result.Memory.Set == 0 || Result.Memory.Set != Parameter.Memory.Set || !Tensor) {
        continue;
      }
      if (Result.Memory.IsWritten) {
        Shown = E->isGLValue() ? Each : Tensor;
      } else {
        View = viewOf(*Tensor, Parameter.Memory.IsPerhaps, E);
      }
    }
    if (!Tensor) {
      continue;
    }
    if (Op.isFactory()) {  // of its shape
      Made.On = Tensor->On;
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
    if (IsFirst) {
      Made.On = Tensor->On;
      Made.Type = Op.has(Pointwise) || View || has(*Its.Function, Trait::KeepsType) ? Tensor->Type : std::nullopt;
    } else if (Made.Type != Tensor->Type) {
      Made.Type = std::nullopt;
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
    Number.Data = IsOfNumbers || has(*Its.Function, Trait::TellsForm) ? nullptr : E;
    return E->getType()->isVoidType() ? nullptr : All.Known.keep(std::move(Number));
  }
  if (has(*Its.Function, Trait::CutsGradient)) {
    for (const Path Each : Made.Differentiable) {
      Made.Cuts.emplace_back(Each, E);
    }
    Made.Differentiable.clear();
  }
  if (has(*Its.Function, Trait::GivesMask)) {
    Made.Type = DType::Bool;
  } else if (has(*Its.Function, Trait::GivesPlaces)) {
    Made.Type = DType::I64;
  }
  if (View) {
    Made.Targets = View->Targets;
    Made.MayBeOther = View->MayBeOther;
  }
  if (kindOf(E->getType()) == TypeKind::Tensor) {
    return All.Known.keep(std::move(Made));
  }
  // Several tensors: each part is as the one.
  const Path Whole = All.Places.fresh(*E);
  Now.clear(Whole);
  Now.set(Whole, All.Known.keep(Value()));
  Now.set(All.Places.anyElement(Whole), All.Known.keep(std::move(Made)));
  return All.Known.keep(Value::to(Whole));
}

}  // namespace graphgen::check::flow
