// SPDX-License-Identifier: Apache-2.0
//
// Tensors in the host's memory, pageable, since nothing that makes them says another.
#pragma once

#include "clang/AST/Expr.h"

namespace graphgen::check {

/// The call that makes E there, or the first of those that make what E is computed from: torch::zeros({2}), torch::from_blob(p, {2}),
/// torch::arange(8) * 0.5, torch::cat({a, b}) of two of them. Null where one of them may lie elsewhere.
const clang::Expr* madeOnHost(const clang::Expr& E);

}  // namespace graphgen::check
