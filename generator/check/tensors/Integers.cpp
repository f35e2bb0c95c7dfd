// SPDX-License-Identifier: Apache-2.0
//
// By the functions' names, and the dtypes that their arguments name.
#include "check/tensors/Integers.h"

#include "check/code/Spelled.h"
#include "check/code/TensorCalls.h"
#include "check/tensors/Conversions.h"
#include "check/tensors/Masks.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphgen::check {
namespace {

using AreIntegersFunction = llvm::function_ref<bool(const clang::Expr&)>;

bool isIntegralType(llvm::StringRef Constant) {
  Constant.consume_front("k");
  return llvm::StringSwitch<bool>(Constant)
      .Cases({"Long", "Int", "Short", "Char", "Int64", "Int32", "Int16", "Int8", "I64", "I32", "I16", "I8"}, true)
      .Default(false);
}

bool namesIntegralType(const clang::Expr& E) {
  const auto* Name = llvm::dyn_cast<clang::DeclRefExpr>(&E);
  const clang::ValueDecl* Named = Name ? Name->getDecl() : nullptr;
  if (Named && Named->getIdentifier() && libraryClass(Named->getType()) == "ScalarType") {
    return isIntegralType(Named->getName());
  }
  return llvm::any_of(E.children(), [](const clang::Stmt* Each) {
    const auto* Part = llvm::dyn_cast_if_present<clang::Expr>(Each);
    return Part && namesIntegralType(*Part);
  });
}

/// Of the dtype that the arguments say, where they say one.
bool isOfSaidInteger(const clang::CallExpr& Call) {
  return bool(tensorCall(Call, {"to", "toType", "zeros", "ones", "full", "empty", "arange", "randint", "tensor", "zeros_like", "ones_like",
                                "full_like", "empty_like", "new_zeros", "new_ones", "new_full", "new_empty"}));
}

bool givesPlaces(const clang::CallExpr& Call) {
  return bool(tensorCall(Call, {"argmax", "argmin", "argsort", "randperm", "multinomial", "searchsorted", "bucketize", "triu_indices",
                                "tril_indices", "count_nonzero"}));
}

/// Tensors and numbers of integers only.
bool isOfIntegersOnly(const clang::CXXOperatorCallExpr& Call, AreIntegersFunction AreIntegers) {
  return llvm::all_of(Call.arguments(), [&](const clang::Expr* Each) {
    const clang::Expr& E = spelled(*Each);
    return isTensor(E.getType()) ? AreIntegers(E) : E.getType()->isIntegerType();
  });
}

}  // namespace

bool givesIntegers(const clang::CallExpr& Call, AreIntegersFunction AreIntegers) {
  if (!isTensor(Call.getType())) {
    return false;
  }
  if (const auto* Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Call)) {
    const clang::OverloadedOperatorKind Kind = Operator->getOperator();
    return Kind == clang::OO_Subscript ? AreIntegers(*Operator->getArg(0))
                                       : llvm::is_contained({clang::OO_Plus, clang::OO_Minus, clang::OO_Star, clang::OO_Percent}, Kind) &&
                                             isOfIntegersOnly(*Operator, AreIntegers);
  }
  if (givesPlaces(Call)) {
    return true;
  }
  if (isOfSaidInteger(Call) && namesMaskType(Call).has_value()) {
    return llvm::any_of(Call.arguments(), [](const clang::Expr* Each) { return namesIntegralType(*Each); });
  }
  const std::vector<const clang::Expr*> Sources = sourcesOfType(Call);
  return !Sources.empty() && llvm::all_of(Sources, [&](const clang::Expr* Each) { return Each && AreIntegers(*Each); });
}

bool givesIntegersAt(const clang::CallExpr& Call, unsigned Place) {
  return Place == 1 && tensorCall(Call, {"max", "min", "topk", "sort", "mode", "median", "kthvalue", "cummax", "cummin"});
}

}  // namespace graphgen::check
