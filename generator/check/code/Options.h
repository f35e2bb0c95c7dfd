// SPDX-License-Identifier: Apache-2.0
//
// Options of LibTorch's modules and functionals, as they are made and set: `EmbeddingOptions(8, 4).sparse(true)`.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

/// What the option's setter is given somewhere in S, or in what local variables that S names were made of; null where it is not called.
const clang::Expr* optionIn(const clang::Stmt& S, llvm::StringRef Option);

}  // namespace graphgen::check
