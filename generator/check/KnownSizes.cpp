// SPDX-License-Identifier: Apache-2.0
//
// Of arguments only: nothing is known of what is computed from them.
#include "check/KnownSizes.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

Holds holds(const clang::Expr& Tensor, const Place& At, llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> Condition) {
  const std::vector<Sizes> All = sizesOf(Tensor, At.Annotations, At.In);
  const auto Count = static_cast<size_t>(llvm::count_if(All, [&](const Sizes& Each) { return Condition(Each); }));
  return All.empty() ? Holds::Unknown : Count == 0 ? Holds::Never : Count == All.size() ? Holds::Always : Holds::Sometimes;
}

bool differInSizes(const clang::Expr& A, const clang::Expr& B, const Place& At) {
  const std::vector<Sizes> OfA = sizesOf(A, At.Annotations, At.In);
  const std::vector<Sizes> OfB = sizesOf(B, At.Annotations, At.In);
  return !OfA.empty() && OfA.size() == OfB.size() &&
         llvm::all_of(llvm::zip_equal(OfA, OfB), [](const auto& Each) { return std::get<0>(Each) != std::get<1>(Each); });
}

}  // namespace graphgen::check
