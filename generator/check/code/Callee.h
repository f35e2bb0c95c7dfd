// SPDX-License-Identifier: Apache-2.0
//
// Which function a statement names in its call.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace graphgen::check {

/// Where the call names its function: behind the dot of a method's.
clang::SourceLocation nameOf(const clang::CallExpr& Call);

}  // namespace graphgen::check
