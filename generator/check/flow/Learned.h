// SPDX-License-Identifier: Apache-2.0
//
// Tensors of the program's that gradients are computed for.
#pragma once

#include "check/code/UnitIndex.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace graphgen::check::flow {

/// A call that makes a tensor require grad: `requires_grad_()`, `set_requires_grad(true)`, options with `requires_grad(true)`,
/// `register_parameter(...)`.
bool turnsGradOn(const clang::Expr& Call);

/// Whether the unit makes the member or variable require grad, where it is made or later.
bool isLearned(const clang::ValueDecl& Store, const UnitIndex& Unit);

}  // namespace graphgen::check::flow
