// SPDX-License-Identifier: Apache-2.0
//
// By the sizes that annotations say, and the lengths of lists that are written out. LibTorch's bound is 10 * elements^0.145.
#include "check/SmallSearch.h"

#include "check/GivenArguments.h"
#include "check/KnownCalls.h"
#include "check/Reassigned.h"
#include "check/Spelled.h"
#include "check/TensorCalls.h"

#include "clang/AST/ExprCXX.h"

#include <algorithm>
#include <cmath>

namespace graphgen::check {
namespace {

/// Of numbers in braces, at any depth; nothing where E is no such list.
std::optional<int64_t> numbersIn(const clang::Expr& Given) {
  const clang::Expr& E = withoutCasts(Given);
  if (const auto* List = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(&E)) {
    return numbersIn(*List->getSubExpr());
  }
  if (const auto* List = llvm::dyn_cast<clang::InitListExpr>(&E)) {
    int64_t Count = 0;
    for (const clang::Expr* Each : List->inits()) {
      const std::optional<int64_t> Inner = numbersIn(*Each);
      if (!Inner) {
        return std::nullopt;
      }
      Count += *Inner;
    }
    return Count;
  }
  if (const auto* Construction = llvm::dyn_cast<clang::CXXConstructExpr>(&E)) {
    return Construction->getNumArgs() == 1 ? numbersIn(*Construction->getArg(0)) : std::nullopt;
  }
  return E.getType()->isArithmeticType() ? std::optional<int64_t>(1) : std::nullopt;
}

bool isReassigned(const clang::Expr& Tensor) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&withoutCasts(Tensor));
  const auto* Variable = Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  return Variable && check::isReassigned(*Variable);
}

std::optional<Elements> elementsIn(const clang::Expr& Tensor, const Place& At) {
  if (isReassigned(Tensor)) {
    return std::nullopt;
  }
  if (const TensorCall Made = tensorCall(originOf(Tensor), {"tensor"}); Made && !Made.IsMethod && Made.Call->getNumArgs() != 0) {
    const std::optional<int64_t> Count = numbersIn(*Made.Call->getArg(0));
    return Count ? std::optional(Elements{*Count, *Count}) : std::nullopt;
  }
  return elementsOf(Tensor, At.Annotations, At.In);
}

}  // namespace

bool findsOneByOne(const clang::Stmt& S, const Place& At) {
  const KnownCall Call = knownCall(S);
  const clang::Expr* Among =
      Call && withoutOut(Call.Name) == "isin" ? argumentGiven(*Call.Function, Call.Arguments, "test_elements") : nullptr;
  const std::optional<Elements> Sought = Among ? elementsIn(*Among, At) : std::nullopt;
  if (!Sought) {
    return false;
  }
  const clang::Expr* Whole = argumentGiven(*Call.Function, Call.Arguments, "elements");
  const std::optional<Elements> Known = Whole && isTensor(Whole->getType()) ? elementsIn(*Whole, At) : std::nullopt;
  const int64_t Least = Known ? std::max<int64_t>(Known->Least, 1) : 1;
  const auto Bound = static_cast<int64_t>(10.0F * std::pow(static_cast<double>(Least), 0.145));
  return Sought->Most < Bound;
}

}  // namespace graphgen::check
