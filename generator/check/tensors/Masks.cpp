// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, and the dtypes that their arguments name.
#include "check/tensors/Masks.h"

#include "check/code/TensorCalls.h"
#include "check/tensors/Conversions.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <vector>

namespace graphgen::check {
namespace {

using IsMaskFunction = llvm::function_ref<bool(const clang::Expr&)>;

bool isMaskOperator(const clang::CXXOperatorCallExpr& Call, IsMaskFunction IsMask) {
  const clang::OverloadedOperatorKind Kind = Call.getOperator();
  if (Call.isComparisonOp() || Kind == clang::OO_Exclaim) {
    return true;
  }
  if (llvm::is_contained({clang::OO_Amp, clang::OO_Pipe, clang::OO_Caret}, Kind)) {
    return llvm::any_of(Call.arguments(), [&](const clang::Expr* Each) { return isTensor(Each->getType()) && IsMask(*Each); });
  }
  const bool KeepsType =
      llvm::is_contained({clang::OO_Tilde, clang::OO_Subscript, clang::OO_AmpEqual, clang::OO_PipeEqual, clang::OO_CaretEqual}, Kind);
  return KeepsType && IsMask(*Call.getArg(0));
}

bool isComparison(const clang::CallExpr& Call) {
  return bool(tensorCall(Call, {"eq", "ne", "lt", "le", "gt", "ge", "not_equal", "less", "less_equal", "greater", "greater_equal"}));
}

bool isQuestion(const clang::CallExpr& Call) {
  return bool(tensorCall(Call, {"isnan", "isinf", "isposinf", "isneginf", "isfinite", "isreal", "isclose", "isin", "signbit", "all", "any",
                                "logical_not", "logical_and", "logical_or", "logical_xor"}));
}

/// Of the dtype that the arguments say.
bool isOfSaidMask(const clang::CallExpr& Call) {
  return bool(tensorCall(Call, {"to", "toType", "view", "zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like",
                                "empty_like", "new_zeros", "new_ones", "new_full", "new_empty", "randint", "tensor", "from_blob"}));
}

/// Of the dtype of the first tensor.
bool keepsType(const clang::CallExpr& Call) {
  return bool(tensorCall(Call, {"to",        "view",         "zeros_like", "ones_like", "full_like",   "empty_like",    "new_zeros",
                                "new_ones",  "new_full",     "new_empty",  "squeeze",   "unsqueeze",   "reshape",       "reshape_as",
                                "view_as",   "flatten",      "unflatten",  "ravel",     "expand",      "expand_as",     "broadcast_to",
                                "t",         "transpose",    "permute",    "movedim",   "select",      "slice",         "narrow",
                                "diagonal",  "index_select", "gather",     "take",      "index",       "masked_select", "masked_fill",
                                "index_put", "index_fill",   "index_copy", "scatter",   "repeat",      "roll",          "flip",
                                "triu",      "tril",         "amax",       "amin",      "bitwise_not", "contiguous",    "clone",
                                "detach",    "alias",        "cpu",        "cuda",      "pin_memory"}));
}

}  // namespace

std::vector<const clang::Expr*> sourcesOfType(const clang::CallExpr& Call) {
  const clang::Expr* Last = Call.getNumArgs() == 0 ? nullptr : Call.getArg(Call.getNumArgs() - 1);
  if (const TensorCall Choice = tensorCall(Call, {"where"}); Choice && Last) {
    return {Choice.IsMethod ? tensorOf(Call) : Call.getArg(Call.getNumArgs() - std::min(Call.getNumArgs(), 2U)), Last};
  }
  if (tensorCall(Call, {"type_as"})) {
    return {Last};
  }
  if (const TensorCall Conversion = tensorCall(Call, {"to"}); Conversion && isTensor(Call.getArg(0)->getType())) {
    return {Call.getArg(0)};
  }
  return keepsType(Call) || isInPlace(Call) ? std::vector{tensorOf(Call)} : std::vector<const clang::Expr*>();
}

bool givesMask(const clang::CallExpr& Call, IsMaskFunction IsMask) {
  if (!isTensor(Call.getType())) {
    return false;
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    return isMaskOperator(*Operator, IsMask);
  }
  if (isComparison(Call) || isQuestion(Call)) {
    return true;
  }
  const std::optional<bool> Said = isOfSaidMask(Call) ? namesMaskType(Call) : std::nullopt;
  const std::vector<const clang::Expr*> Sources = sourcesOfType(Call);
  return Said ? *Said : !Sources.empty() && llvm::all_of(Sources, [&](const clang::Expr* Each) { return Each && IsMask(*Each); });
}

}  // namespace graphgen::check
