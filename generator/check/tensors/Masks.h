// SPDX-License-Identifier: Apache-2.0
//
// Which of the library's calls give masks: tensors of bool, or of bytes.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace graphgen::check {

/// Where `IsMask` tells of the tensors that the call is given. False: not, or nobody knows.
bool givesMask(const clang::CallExpr& Call, llvm::function_ref<bool(const clang::Expr&)> IsMask);

/// The tensors whose dtype a call takes together, where its arguments say none.
std::vector<const clang::Expr*> sourcesOfType(const clang::CallExpr& Call);

}  // namespace graphgen::check
