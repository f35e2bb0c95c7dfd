// SPDX-License-Identifier: Apache-2.0
//
// Where what an expression names is kept, whichever element of a container it is and whatever points to it.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

namespace graphgen::check {

/// One step towards what keeps it: `ops[i]` of `ops[i].first`, then `ops`, then what initializes a local variable; null where that ends.
const clang::Expr* causeOf(const clang::Expr& E);

/// `ops` of `ops[i]`, `*ops.begin()`, `it->second` with `it = ops.find(name)`, and of a loop's variable over `ops`: a member or a variable
/// that outlives its function, as pathOf names it; or a parameter. Null where it is neither.
const clang::ValueDecl* storeOf(const clang::Expr& E);

/// The container or smart pointer that a call of its method puts its arguments into: `ops.push_back(f)`, `held.reset(new Policy)`; else
/// null.
const clang::Expr* storeGivenTo(const clang::CXXMemberCallExpr& Call);

}  // namespace graphgen::check
