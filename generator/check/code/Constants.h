// SPDX-License-Identifier: Apache-2.0
//
// Conditions whose truth is known before the program runs, and what is never executed because of them.
#pragma once

#include "clang/AST/Expr.h"

#include <optional>

namespace graphgen::check {

/// Of a condition; nothing where it is no constant. A variable that keeps the constant that it was made with is one.
std::optional<bool> constantTruth(const clang::Expr& Condition, const clang::ASTContext& Context);

/// The operand of `&&`, `||` or `?:` that a constant excludes; null where none is.
const clang::Expr* excludedOperand(const clang::Stmt& S, const clang::ASTContext& Context);

}  // namespace graphgen::check
