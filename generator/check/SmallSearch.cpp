// SPDX-License-Identifier: Apache-2.0
//
// By the sizes that annotations say. LibTorch's bound is 10 * elements^0.145.
#include "check/SmallSearch.h"

#include "check/code/GivenArguments.h"
#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"

#include <algorithm>
#include <cmath>

namespace graphgen::check {

bool findsOneByOne(const clang::Stmt& S, const Place& At) {
  const KnownCall Call = knownCall(S);
  const clang::Expr* Among =
      Call && withoutOut(Call.Name) == "isin" ? argumentGiven(*Call.Function, Call.Arguments, "test_elements") : nullptr;
  const std::optional<Elements> Sought = Among ? elementsOf(*Among, At.Annotations, At.In) : std::nullopt;
  if (!Sought) {
    return false;
  }
  const clang::Expr* Whole = argumentGiven(*Call.Function, Call.Arguments, "elements");
  const std::optional<Elements> Known = Whole && isTensor(Whole->getType()) ? elementsOf(*Whole, At.Annotations, At.In) : std::nullopt;
  const int64_t Least = Known ? std::max<int64_t>(Known->Least, 1) : 1;
  const auto Bound = static_cast<int64_t>(10.0F * std::pow(static_cast<double>(Least), 0.145));
  return Sought->Most < Bound;
}

}  // namespace graphgen::check
