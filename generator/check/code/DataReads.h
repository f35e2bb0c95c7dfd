// SPDX-License-Identifier: Apache-2.0
//
// Whether a value is computed from tensors, or only from their shapes and types, which a capture may rely on.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {

/// Tells of the parameters, members and globals whose tensors' values E is computed from, through local variables; null stands for random
/// numbers, and for what is not known.
void eachDataRead(const clang::Expr& E, llvm::function_ref<void(const clang::ValueDecl*)> Tell);

bool readsData(const clang::Expr& E);

/// Whether E is computed from the shapes and types of tensors, and from no values of theirs: `x.size(0) == 0`.
bool asksForFormOnly(const clang::Expr& E);

bool readsDataOf(const clang::Expr& E, const clang::ValueDecl& D);

}  // namespace graphgen::check
