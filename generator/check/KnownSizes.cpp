// SPDX-License-Identifier: Apache-2.0
//
// Of arguments only: nothing is known of what is computed from them.
#include "check/KnownSizes.h"

#include "llvm/ADT/STLExtras.h"

namespace graphgen::check {

static Holds ofSome(size_t Count, size_t All) {
  return All == 0 ? Holds::Unknown : Count == 0 ? Holds::Never : Count == All ? Holds::Always : Holds::Sometimes;
}

Holds holds(const clang::Expr& Tensor, const Place& At, llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> Condition) {
  const std::vector<Sizes> All = sizesOf(Tensor, At.Annotations, At.In);
  return ofSome(llvm::count_if(All, [&](const Sizes& Each) { return Condition(Each); }), All.size());
}

Holds haveSameSizes(const clang::Expr& A, const clang::Expr& B, const Place& At) {
  const std::vector<Sizes> OfA = sizesOf(A, At.Annotations, At.In);
  const std::vector<Sizes> OfB = sizesOf(B, At.Annotations, At.In);
  if (OfA.size() != OfB.size()) {
    return Holds::Unknown;
  }
  return ofSome(llvm::count_if(llvm::zip_equal(OfA, OfB), [](const auto& Each) { return std::get<0>(Each) == std::get<1>(Each); }),
                OfA.size());
}

}  // namespace graphgen::check
