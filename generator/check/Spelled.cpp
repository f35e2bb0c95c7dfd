// SPDX-License-Identifier: Apache-2.0
//
// Goes on for as long as something falls away: parentheses may stand under a temporary, and temporaries in parentheses.
#include "check/Spelled.h"

namespace graphgen::check {

const clang::Expr& spelled(const clang::Expr& Given) {
  const clang::Expr* E = &Given;
  const clang::Expr* Within = E->IgnoreParens()->IgnoreImplicit();
  while (Within != E) {
    E = Within;
    Within = E->IgnoreParens()->IgnoreImplicit();
  }
  return *E;
}

const clang::Expr& withoutCasts(const clang::Expr& Given) {
  const clang::Expr* E = &spelled(Given);
  while (const auto* Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(E)) {
    E = &spelled(*Cast->getSubExpr());
  }
  return *E;
}

}  // namespace graphgen::check
