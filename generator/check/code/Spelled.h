// SPDX-License-Identifier: Apache-2.0
//
// Expressions as the text has them.
#pragma once

#include "clang/AST/Expr.h"

namespace graphgen::check {

/// Without parentheses and what is implicit, in whichever order: `((f(x)))` under a temporary is the call.
const clang::Expr& spelled(const clang::Expr& E);

/// Where the call names its function: behind the dot of a method's.
clang::SourceLocation nameOf(const clang::CallExpr& Call);

}  // namespace graphgen::check
