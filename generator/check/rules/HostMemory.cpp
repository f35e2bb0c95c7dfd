// SPDX-License-Identifier: Apache-2.0
//
// Tensors and numbers of the host that operators copy to the device. What manages memory is in the overlay.
#include "check/rules/BuiltThere.h"
#include "check/rules/Tensors.h"
#include "check/rules/Words.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

using flow::Device;
using flow::ValueRef;

constexpr llvm::StringLiteral ToDevice = " to the device, which a graph can do of constants only";

/// Whether `torch::tensor` gets numbers, or braces around some: it fills its result by operators. For a list in memory it is unknown who
/// has written it.
bool isOfNumbersInTheText(const clang::CallExpr& Made) {
  const clang::Expr* Given = Made.getNumArgs() == 0 ? nullptr : Made.getArg(0)->IgnoreImplicit();
  const auto* Conversion = llvm::dyn_cast_if_present<clang::CXXConstructExpr>(Given);
  if (Conversion && Conversion->getNumArgs() != 0 && !Conversion->isStdInitListInitialization()) {
    Given = Conversion->getArg(0)->IgnoreImplicit();
  }
  return Given && ((Conversion && Conversion->isStdInitListInitialization()) || Given->getType()->isArithmeticType());
}

const clang::CallExpr* makerOf(ValueRef Tensor) { return llvm::dyn_cast<clang::CallExpr>(Tensor->Made); }

const Operator* factoryOf(ValueRef Tensor) {
  const clang::CallExpr* Made = makerOf(Tensor);
  return Made && Made->getDirectCallee() ? operatorOf(*Made->getDirectCallee()) : nullptr;
}

bool isOfMemoryOfHost(ValueRef Tensor) {
  const Operator* Factory = factoryOf(Tensor);
  return Factory && (Factory->Name == "from_blob" || (Factory->Name == "tensor" && !isOfNumbersInTheText(*makerOf(Tensor))));
}

bool isWithoutValues(const Operator& Factory) { return llvm::StringRef(Factory.Name).contains("empty"); }

bool makesConstant(const clang::FunctionDecl& Function) {
  const Operator* Factory = operatorOf(Function);
  const auto MakesOnHost = [](const OverlayRow* Each) { return Each->What->Its == Trait::MakesOnHost; };
  return Factory ? !isWithoutValues(*Factory) : llvm::any_of(overlayOf(Function), MakesOnHost);
}

/// A capture copies what operators of the call make of numbers and sizes once, ahead of its replays.
bool isConstantOfHost(ValueRef Tensor) {
  const bool IsOwn =
      Tensor->Sources.empty() && llvm::none_of(Tensor->Targets, [](const flow::Target& Each) { return Each.Of->outlivesCall(); });
  const clang::CallExpr* Made = makerOf(Tensor);
  return IsOwn && Tensor->How <= flow::Change::PerKey && Made && Made->getDirectCallee() && makesConstant(*Made->getDirectCallee()) &&
         !isOfMemoryOfHost(Tensor);
}

/// It is unknown whether the runtime will find a constant: the program fills it, or makes it of numbers that change.
bool mayBeConstant(ValueRef Tensor) {
  const Operator* Factory = factoryOf(Tensor);
  return Factory && !isOfMemoryOfHost(Tensor) && !Factory->has(NondeterministicSeeded);
}

/// An error where the GPU is named, a warning where a device is.
void judgeDestination(const Occurrence& At, Device To, const std::string& Message, std::vector<Note> Notes = {},
                      std::vector<clang::FixItHint> Fixes = {}) {
  if (To == Device::Gpu) {
    At.report(At.Rule, At.where(), Message, std::move(Notes), std::move(Fixes));
  } else if (To == Device::Callables || To == Device::Unknown) {
    At.suspect(At.Rule, At.where(), Message, std::move(Notes), std::move(Fixes));
  }
}

/// Of the first that is on the device, has a name, and is not a mask.
std::string nameBeside(llvm::ArrayRef<ValueRef> Beside) {
  const auto* Found =
      llvm::find_if(Beside, [](ValueRef Each) { return isOfDevice(Each) && !isOfMask(Each) && Each->target() && Each->target()->named(); });
  return Found == Beside.end() ? "" : (*Found)->target()->named()->getNameAsString();
}

void judgeMoved(const Occurrence& At, llvm::ArrayRef<ValueRef> Moved, llvm::ArrayRef<ValueRef> Beside) {
  const auto IsOfHostAtAll = [](ValueRef Each) { return Each && Each->On == Device::Host; };
  const auto* Found = llvm::find_if(Moved, [](ValueRef Each) { return isOfHost(Each) && !isConstantOfHost(Each); });
  if (Found == Moved.end() || llvm::all_of(Beside, IsOfHostAtAll)) {
    return;
  }
  const Operator* Factory = factoryOf(*Found);
  const bool IsOfNumbers = Factory && (Factory->Name == "from_blob" || Factory->Name == "tensor");
  if (IsOfNumbers || llvm::any_of(Beside, isOfDevice)) {
    At.suspect(At.Rule, At.where(), "'" + operationOf(At.Its) + "' copies a tensor of the host" + ToDevice.str(),
               noteToBuildThere(*(*Found)->Made, nameBeside(Beside)));
  }
}

/// With as many integers as dimensions what is written is of one number too, and the one is copied to the other.
bool isAtOnePlace(const TensorIndexing& Index, ValueRef Indexed) {
  return Index.IsByTensorIndex && Index.Integers && Indexed && Indexed->Dimensions == Index.Integers;
}

/// By a mask alone, the number is one of `masked_fill_`.
bool isAtPlaces(const TensorIndexing& Index, const Occurrence& At) {
  return llvm::any_of(Index.Tensors, isOfIntegers) || Index.Tensors.size() > 1 ||
         (!Index.Tensors.empty() && isTrue(At.argument("accumulate")));
}

void judgeIndex(const Occurrence& At, const TensorIndexing& Index) {
  const ValueRef Indexed = At.argument("self");
  const bool IsNumber = Index.IsWrite && (!Index.Written || (isOfHost(Index.Written) && hasNoDimensions(Index.Written)));
  if (IsNumber && (isAtPlaces(Index, At) || isAtOnePlace(Index, Indexed))) {
    const bool IsOnDevice = isOfDevice(Indexed) || llvm::any_of(Index.Tensors, isOfDevice);
    const bool IsOnHost = Indexed && Indexed->On == Device::Host;
    judgeDestination(At,
                     IsOnHost     ? Device::Host
                     : IsOnDevice ? Device::Gpu
                                  : Device::Unknown,
                     "'" + operationOf(At.Its) + "' copies a number of the host" + ToDevice.str());
    return;
  }
  std::vector<ValueRef> Moved;
  llvm::copy_if(Index.Tensors, std::back_inserter(Moved), [&](ValueRef Each) { return !Index.IsByTensorIndex || !hasNoDimensions(Each); });
  if (Index.IsByTensorIndex && Index.Tensors.empty() && !hasNoDimensions(Index.Written)) {
    Moved.push_back(Index.Written);
  }
  judgeMoved(At, Moved, {Indexed});
}

/// Only those without dimensions; with others it is an error of LibTorch's.
void judgeChoice(const Occurrence& At) {
  std::vector<ValueRef> Beside, Moved;
  for (const llvm::StringRef Each : {"condition", "self", "other"}) {
    if (const ValueRef Given = At.argument(Each); Given && At.isTensor(Each)) {
      Beside.push_back(Given);
    }
  }
  llvm::copy_if(Beside, std::back_inserter(Moved), hasNoDimensions);
  judgeMoved(At, Moved, Beside);
}

void judgeHostMemory(const Occurrence& At) {
  const Operator* Op = At.Its.Operator ? At.Its.Operator->Called : nullptr;
  if (!Op) {
    return;
  }
  if (const TensorIndexing Index = indexingOf(At); Index.IsIndex) {
    judgeIndex(At, Index);
  } else if (Op->Name == "to" || Op->Name == "cuda") {
    const ValueRef Self = At.argument("self");
    const ValueRef To = At.argument(Op->parameter("other") ? "other" : "device");
    const clang::Expr* Where = At.expression(Op->parameter("other") ? "other" : "device");
    if (isOfHost(Self) && !isConstantOfHost(Self) && (To || Op->Name == "cuda")) {
      const Device Known = Op->Name == "cuda" ? Device::Gpu : To->On;
      const bool IsPerhaps = Op->parameter("other") || mayBeConstant(Self);
      judgeDestination(At, Known == Device::Gpu && IsPerhaps ? Device::Unknown : Known,
                       "'" + operationOf(At.Its) + "' copies a tensor of the host" + ToDevice.str(),
                       noteToBuildThere(*Self->Made, Where ? nameOfDestination(*Where) : ""), fixesThatBuildThere(*At.Its.At, *Self->Made));
    }
  } else if (Op->Name == "tensor") {
    const ValueRef On = At.argument("device");
    const bool IsOfNumbers = isOfNumbersInTheText(*llvm::cast<clang::CallExpr>(At.Its.At));
    if (On && !IsOfNumbers && !hasNoDimensions(At.Its.From)) {
      judgeDestination(At, On->On, "'tensor' copies values of the host" + ToDevice.str() + "; make it once, outside of the callable");
    }
  } else if (Op->Name == "where") {
    judgeChoice(At);
  } else if (Op->Name == "copy_") {
    judgeMoved(At, {At.argument("src")}, {At.argument("self")});
  }
}

/// `x[0] = torch::arange(4)`
void judgeAssigned(const Occurrence& At) {
  if (At.Its.From) {
    judgeMoved(At, {At.Its.From}, {At.Its.Object});
  }
}

}  // namespace

const Rule rules::HostMemory{.OnCall = judgeHostMemory, .OnWrite = judgeAssigned};

}  // namespace graphgen::check
