// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, and the lengths of lists that are written out.
#include "check/tensors/Dimensions.h"

#include "check/code/GivenArguments.h"
#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <vector>

namespace graphgen::check {
namespace {

using HasFunction = llvm::function_ref<bool(const clang::Expr&, unsigned)>;

bool isDefault(const clang::Expr& E) { return llvm::isa<clang::CXXDefaultArgExpr>(E); }

/// What is in temporaries and conversions of one argument.
const clang::Expr& innermost(const clang::Expr& Given) {
  const clang::Expr& E = withoutCasts(Given);
  const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E);
  const bool IsConversion =
      Construction && Construction->getNumArgs() != 0 && libraryClass(E.getType()) != "vector" &&
      llvm::all_of(llvm::drop_begin(Construction->arguments()), [](const clang::Expr* Each) { return isDefault(*Each); });
  return IsConversion ? innermost(*Construction->getArg(0)) : E;
}

/// torch::tensor(1.0), torch::scalar_tensor(1.0)
bool makesOneNumber(const clang::CallExpr& Call) {
  return tensorCall(Call, {"scalar_tensor"}) || (tensorCall(Call, {"tensor"}) && innermost(*Call.getArg(0)).getType()->isArithmeticType());
}

/// As their operands broadcast to.
bool givesBroadcast(const clang::CallExpr& Call, unsigned Count, HasFunction Has) {
  std::vector<const clang::Expr*> Tensors;
  llvm::copy_if(Call.arguments(), std::back_inserter(Tensors), [](const clang::Expr* Each) { return isTensor(Each->getType()); });
  if (llvm::isa<clang::CXXMemberCallExpr>(Call)) {
    Tensors.push_back(tensorOf(Call));
  }
  return llvm::all_of(Tensors, [&](const clang::Expr* Each) { return Has(*Each, Count) || Has(*Each, 0); }) &&
         llvm::any_of(Tensors, [&](const clang::Expr* Each) { return Has(*Each, Count); });
}

bool givesByOperator(const clang::CXXOperatorCallExpr& Call, unsigned Count, HasFunction Has) {
  return Call.getOperator() == clang::OO_Subscript ? Has(*Call.getArg(0), Count + 1) : givesBroadcast(Call, Count, Has);
}

bool isElementwise(const clang::CallExpr& Call) {
  return bool(tensorCall(
      Call, {"contiguous",   "clone",       "detach",     "to",          "toType",      "type_as",     "cuda",       "cpu",
             "abs",          "neg",         "round",      "floor",       "ceil",        "trunc",       "clamp",      "clamp_min",
             "clamp_max",    "clip",        "add",        "sub",         "mul",         "div",         "remainder",  "fmod",
             "floor_divide", "bitwise_and", "bitwise_or", "bitwise_not", "logical_not", "logical_and", "logical_or", "eq",
             "ne",           "lt",          "le",         "gt",          "ge",          "zeros_like",  "ones_like",  "empty_like"}));
}

/// Without one of `dim` over all dimensions.
bool givesReduction(const TensorCall& Reduction, unsigned Count, HasFunction Has) {
  const clang::Expr* Dimension = argumentGiven(*Reduction.Call, "dim");
  const unsigned Own = Reduction.IsMethod ? 0 : 1;
  if (!Dimension) {
    return Count == 0 && llvm::all_of(llvm::drop_begin(Reduction.Call->arguments(), Own), [](const clang::Expr* Each) {
             return isDefault(*Each) || libraryClass(innermost(*Each).getType()) == "ScalarType";
           });
  }
  return innermost(*Dimension).getType()->isIntegerType() && !argumentGiven(*Reduction.Call, "keepdim") &&
         Has(*tensorOf(*Reduction.Call), Count + 1);
}

}  // namespace

std::optional<unsigned> lengthOf(const clang::Expr* Given) {
  const clang::Expr* E = Given ? &innermost(*Given) : nullptr;
  if (const auto* List = llvm::dyn_cast_if_present<clang::CXXStdInitializerListExpr>(E)) {
    E = &innermost(*List->getSubExpr());
  }
  if (const auto* List = llvm::dyn_cast_if_present<clang::InitListExpr>(E)) {
    return List->getNumInits();
  }
  if (const auto* Empty = llvm::dyn_cast_if_present<clang::CXXConstructExpr>(E); Empty && libraryClass(E->getType()) == "ArrayRef") {
    return Empty->getNumArgs() == 0 ? std::optional(0U) : std::nullopt;
  }
  return E && E->getType()->isIntegerType() ? std::optional(1U) : std::nullopt;
}

bool changesDimensions(const clang::CallExpr& Call) {
  return bool(tensorCall(Call, {"unsqueeze_", "squeeze_", "resize_", "resize_as_", "set_", "as_strided_", "set_data"}));
}

bool givesDimensions(const clang::CallExpr& Call, unsigned Count, HasFunction Has) {
  if (!isTensor(Call.getType())) {
    return false;
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    return givesByOperator(*Operator, Count, Has);
  }
  if (isElementwise(Call)) {
    return givesBroadcast(Call, Count, Has);
  }
  if (const TensorCall Reduction = tensorCall(Call, {"argmax", "argmin", "sum", "mean", "prod", "max", "min", "amax", "amin", "all", "any",
                                                     "count_nonzero", "median", "norm", "std", "var"})) {
    return givesReduction(Reduction, Count, Has);
  }
  if (tensorCall(Call, {"select"})) {
    return Has(*tensorOf(Call), Count + 1);
  }
  if (tensorCall(Call, {"unsqueeze"})) {
    return Count != 0 && Has(*tensorOf(Call), Count - 1);
  }
  if (tensorCall(Call, {"zeros", "ones", "full", "empty", "view", "expand", "new_zeros", "new_ones", "new_full", "new_empty"})) {
    return lengthOf(argumentGiven(Call, "size")) == Count;
  }
  if (makesOneNumber(Call)) {
    return Count == 0;
  }
  if (tensorCall(Call, {"eye"})) {
    return Count == 2;
  }
  if (tensorCall(Call, {"reshape"})) {
    return lengthOf(argumentGiven(Call, "shape")) == Count;
  }
  return isInPlace(Call) && !changesDimensions(Call) && Has(*tensorOf(Call), Count);
}

}  // namespace graphgen::check
