// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names; a sparse tensor is known by the call that makes it.
#include "check/SparseTensors.h"

#include "check/GivenArguments.h"
#include "check/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {
namespace {

bool isUncoalesced(const clang::Expr& E) {
  const TensorCall Made = tensorCall(originOf(E), {"sparse_coo_tensor", "_sparse_coo_tensor_unsafe"});
  return Made && !argumentGiven(*Made.Call, "is_coalesced");
}

}  // namespace

Coalescing coalescing(const clang::Stmt& S) {
  const TensorCall Call = tensorCall(S, {"coalesce", "mm", "matmul", "addmm", "bmm", "hspmm", "smm", "sspaddmm", "_sparse_mm"});
  if (!Call) {
    return {};
  }
  const auto Is = [](const clang::Expr* Each) { return Each && isTensor(Each->getType()) && isUncoalesced(*Each); };
  const bool IsCertain = Is(tensorOf(*Call.Call)) || llvm::any_of(Call.Call->arguments(), Is);
  return {Call.Name == "coalesce" || IsCertain, IsCertain};
}

}  // namespace graphgen::check
