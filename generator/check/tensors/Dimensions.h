// SPDX-License-Identifier: Apache-2.0
//
// How many dimensions the tensors have that the library's calls give.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace graphgen::check {

/// Whether the call certainly gives a tensor of `Count` dimensions, where `Has` tells the same of the tensors that it is given.
bool givesDimensions(const clang::CallExpr& Call, unsigned Count, llvm::function_ref<bool(const clang::Expr&, unsigned)> Has);

/// Of a list of sizes or dimensions that is written out, and of one number.
std::optional<unsigned> lengthOf(const clang::Expr* List);

/// In place, of the tensor that it is made on.
bool changesDimensions(const clang::CallExpr& Call);

}  // namespace graphgen::check
