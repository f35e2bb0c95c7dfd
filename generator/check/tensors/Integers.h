// SPDX-License-Identifier: Apache-2.0
//
// Which of the library's calls give tensors of integers that are no masks.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {

/// Where `AreIntegers` tells of the tensors that the call is given. False: not, or nobody knows.
bool givesIntegers(const clang::CallExpr& Call, llvm::function_ref<bool(const clang::Expr&)> AreIntegers);

/// The same of an element of the tuple that the call gives: the places of the `topk` are its second.
bool givesIntegersAt(const clang::CallExpr& Call, unsigned Place);

}  // namespace graphgen::check
