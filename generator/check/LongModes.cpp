// SPDX-License-Identifier: Apache-2.0
//
// The bound is twice the largest block: aten/src/ATen/native/cuda/TensorModeKernel.cpp.
#include "check/LongModes.h"

#include "check/KnownSizes.h"
#include "check/code/GivenArguments.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ASTContext.h"

namespace graphgen::check {
namespace {

constexpr int64_t MostInOneBlock = 2048;

std::optional<int64_t> dimensionOf(const TensorCall& Mode) {
  const clang::Expr* Given = argumentGiven(*Mode.Call, "dim");
  clang::Expr::EvalResult Value;
  if (!Given) {
    return -1;
  }
  const bool IsKnown = !Given->isValueDependent() && Given->EvaluateAsInt(Value, Mode.Function->getASTContext());
  return IsKnown ? Value.Val.getInt().tryExtValue() : std::nullopt;
}

}  // namespace

HostRead longMode(const clang::Stmt& S, const Place& At) {
  const TensorCall Mode = tensorCall(S, {"mode"});
  const std::optional<int64_t> Dimension = Mode ? dimensionOf(Mode) : std::nullopt;
  if (!Dimension) {
    return {};
  }
  const Holds IsLong = holds(*tensorOf(*Mode.Call), At, [&](llvm::ArrayRef<int64_t> Sizes) {
    const int64_t Index = *Dimension < 0 ? *Dimension + static_cast<int64_t>(Sizes.size()) : *Dimension;
    return Index >= 0 && Index < static_cast<int64_t>(Sizes.size()) && Sizes[Index] > MostInOneBlock;
  });
  const bool Waits = IsLong == Holds::Always || IsLong == Holds::Sometimes;
  return Waits ? HostRead{Mode.Name, Mode.Where, IsLong == Holds::Always} : HostRead();
}

}  // namespace graphgen::check
