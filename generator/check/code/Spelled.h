// SPDX-License-Identifier: Apache-2.0
//
// Expressions as the text has them.
#pragma once

#include "clang/AST/Expr.h"

namespace graphgen::check {

/// Without parentheses and what is implicit, in whichever order: `((f(x)))` under a temporary is the call.
const clang::Expr& spelled(const clang::Expr& E);

}  // namespace graphgen::check
