// SPDX-License-Identifier: Apache-2.0
//
// How many dimensions an operator gives its result.
#include "check/flow/BodyRun.h"
#include "check/flow/Types.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check::flow {
namespace {

using Known = std::optional<unsigned>;

Known oneLess(Known Dimensions) { return Dimensions && *Dimensions != 0 ? Known(*Dimensions - 1) : std::nullopt; }

bool keepsThem(const Operator& Op) {
  return Op.Name.ends_with("_like") || (Op.isInPlace() && !Op.has(InplaceView)) ||
         llvm::is_contained({"contiguous", "clone",     "detach",  "to",          "toType", "type_as", "cuda",
                             "cpu",        "expand_as", "permute", "transpose",   "t",      "narrow",  "slice",
                             "flip",       "roll",      "softmax", "log_softmax", "cumsum", "cumprod", "index_select"},
                            Op.Name);
}

bool isReduction(const Operator& Op) {
  return Op.has(Reduction) ||
         llvm::is_contained({"mean", "prod", "sum", "all", "any", "norm", "std", "var", "median", "count_nonzero"}, Op.Name);
}

}  // namespace

std::optional<unsigned> BodyRun::lengthOf(ValueRef List) {
  const Path Whole = List ? List->target() : nullptr;
  const ValueRef Itself = Whole ? Now.at(Whole) : nullptr;
  if (!Itself || Itself->MayBeOther || Itself->Unset) {
    return std::nullopt;
  }
  unsigned Count = 0;
  for (const auto& [Each, Ignored] : Now.within(Whole)) {
    const bool IsPart = Each->parent() == Whole;
    if (IsPart && Each->last().What != Step::Kind::Element) {
      return std::nullopt;
    }
    Count += IsPart ? 1 : 0;
  }
  return Count;
}

std::vector<ValueRef> BodyRun::elementsOf(ValueRef List) {
  std::vector<ValueRef> Found;
  const std::optional<unsigned> Count = lengthOf(List);
  for (unsigned Place = 0; Place < Count.value_or(0); ++Place) {
    Found.push_back(read(All.Places.element(List->target(), Place)));
  }
  return Found;
}

std::optional<unsigned> BodyRun::dimensionsOf(const Called& Its, const OperatorBinding& Bound, llvm::ArrayRef<ValueRef> Given) {
  const Operator& Op = *Bound.Called;
  const size_t Methods = Its.Object ? 1 : 0;
  const auto At = [&](llvm::StringRef Name) -> std::optional<size_t> {
    for (size_t Place = 0; Place < Given.size(); ++Place) {
      const bool IsGiven = Place < Methods || !llvm::isa<clang::CXXDefaultArgExpr>(Its.Expressions[Place - Methods]);
      if (Bound.Parameters[Place]->Name == Name && IsGiven) {
        return Place;
      }
    }
    return std::nullopt;
  };
  const auto Tensor = [&](size_t Place) { return tensorsIn(Given[Place], *Bound.Parameters[Place]); };
  const bool HasSelf = !Given.empty() && Bound.Parameters[0]->Type == Operator::Kind::Tensor && Tensor(0);
  const Known Self = HasSelf ? Tensor(0)->Dimensions : std::nullopt;
  for (const llvm::StringRef Sizes : {"size", "shape"}) {
    if (const std::optional<size_t> Place = At(Sizes)) {
      return lengthOf(Given[*Place]);
    }
  }
  if (Op.Name == "select" || Op.Name == "unsqueeze") {
    return Op.Name == "select" ? oneLess(Self) : Self ? Known(*Self + 1) : std::nullopt;
  }
  if (isReduction(Op)) {
    const std::optional<size_t> Over = At("dim");
    if (!Over) {
      return Op.parameter("keepdim") && !At("keepdim") && Op.parameter("dim") && !Op.parameter("dim")->Default ? std::nullopt : Known(0);
    }
    const clang::Expr& Dim = *Its.Expressions[*Over - Methods]->IgnoreUnlessSpelledInSource();
    const std::optional<size_t> Keeps = At("keepdim");
    const ValueRef Kept = Keeps ? Given[*Keeps] : nullptr;
    return Keeps ? (Kept && Kept->Number == 1 ? Self : std::nullopt) : Dim.getType()->isIntegerType() ? oneLess(Self) : std::nullopt;
  }
  if (keepsThem(Op)) {
    return Self;
  }
  if (Op.Name == "tensor" || Op.Name == "scalar_tensor") {
    const clang::Expr& Values = *Its.Expressions[0]->IgnoreUnlessSpelledInSource();
    return Values.getType()->isArithmeticType() || Op.Name == "scalar_tensor" ? Known(0) : std::nullopt;
  }
  if (llvm::is_contained({"eye", "arange", "linspace", "logspace", "range"}, Op.Name)) {
    return Op.Name == "eye" ? 2 : 1;
  }
  if (!Op.has(Pointwise)) {
    return std::nullopt;
  }
  Known Most = 0;
  for (size_t Place = 0; Place < Given.size(); ++Place) {
    const Operator::Kind Type = Bound.Parameters[Place]->Type;
    if (Type == Operator::Kind::Tensor || Type == Operator::Kind::OptionalTensor) {
      const ValueRef One = Tensor(Place);
      Most = One && One->Dimensions && Most ? std::max(Most, One->Dimensions) : std::nullopt;
    }
  }
  return Most;
}

/// A number of the form that the annotations say of an argument: all of them the same.
std::optional<int64_t> BodyRun::formOf(const Operator& Op, llvm::ArrayRef<ValueRef> Given) {
  const ValueRef Tensor = Given.empty() ? nullptr : load(Given[0]);
  if (!Tensor || Op.Name == "dim") {
    return Tensor ? Tensor->Dimensions : std::nullopt;
  }
  const Path Of = Tensor->Sources.empty() ? Tensor->target() : nullptr;
  if (!Of || Of->from() != Root::Argument || Tensor->Targets[0].IsView) {
    return std::nullopt;
  }
  if (Op.Name == "numel" && Tensor->Dimensions) {
    std::optional<int64_t> Count = 1;
    for (unsigned Place = 0; Place < *Tensor->Dimensions; ++Place) {
      const std::optional<int64_t> Size = All.sizeOf(Of, Place);
      Count = Count && Size ? std::optional(*Count * *Size) : std::nullopt;
    }
    return Count;
  }
  const bool IsSize = Op.Name == "size" && Given.size() == 2 && Given[1] && Given[1]->Number;
  return IsSize ? All.sizeOf(Of, *Given[1]->Number) : std::nullopt;
}

}  // namespace graphgen::check::flow
