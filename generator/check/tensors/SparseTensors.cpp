// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names; a sparse tensor is known by the call that makes it.
#include "check/tensors/SparseTensors.h"

#include "check/code/GivenArguments.h"
#include "check/code/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

TensorCall madeSparse(const clang::Expr& E) { return tensorCall(originOf(E), {"sparse_coo_tensor", "_sparse_coo_tensor_unsafe"}); }

bool isUncoalesced(const clang::Expr& E) {
  const TensorCall Made = madeSparse(E);
  return Made && !argumentGiven(*Made.Call, "is_coalesced");
}

/// Counts elements also where each is there once.
bool counts(const clang::Stmt& S) {
  const TensorCall Call = tensorCall(S, {"bmm", "index_select", "select", "narrow_copy"});
  return Call && madeSparse(*tensorOf(*Call.Call));
}

/// Products of matrices, and functions of each element.
constexpr llvm::StringLiteral Adding[] = {"coalesce", "mm",     "matmul",     "addmm",   "smm",  "sspaddmm", "_sparse_mm", "_sparse_sum",
                                          "norm",     "abs",    "asin",       "asinh",   "atan", "atanh",    "ceil",       "deg2rad",
                                          "erf",      "erfinv", "expm1",      "floor",   "frac", "isinf",    "isnan",      "isneginf",
                                          "isposinf", "log1p",  "nan_to_num", "rad2deg", "relu", "round",    "sgn",        "sign",
                                          "signbit",  "sin",    "sinh",       "sqrt",    "tan",  "tanh",     "trunc",      "pow"};

}  // namespace

Coalescing coalescing(const clang::Stmt& S) {
  if (counts(S)) {
    return {true, true};
  }
  const TensorCall Call = tensorCall(S, Adding);
  if (!Call) {
    return {};
  }
  const auto Is = [](const clang::Expr* Each) { return Each && isTensor(Each->getType()) && isUncoalesced(*Each); };
  const bool IsCertain = Is(tensorOf(*Call.Call)) || llvm::any_of(Call.Call->arguments(), Is);
  return {Call.Name == "coalesce" || IsCertain, IsCertain};
}

}  // namespace graphgen::check
