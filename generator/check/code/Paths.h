// SPDX-License-Identifier: Apache-2.0
//
// Which member or variable an expression names by its text alone: what the unit's bodies say of one and the same. Whose it is in a body
// that a call leads to is a question for Owners.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

namespace graphgen::check {

/// A member of an object of class `Owner`, with members that hold one another between the two; or a variable that outlives its function.
struct Path {
  const clang::ValueDecl* Named = nullptr;      // of a template's instance, the pattern's; null: neither
  const clang::CXXRecordDecl* Owner = nullptr;  // null: a variable
  bool IsOnThis = false;                        // the object is `this`
};

/// A member of what a local reference shows is one of that: `const auto& gains = gains_; gains.p`.
Path pathOf(const clang::Expr& E);

/// Of a local reference, or behind a local pointer, what that was made of; else E, without parentheses and implicit casts.
const clang::Expr& shownBy(const clang::Expr& E);

/// Whether a part of S names the member or variable, of `this` if that is on it, and else of another object.
bool mentions(const clang::Stmt& S, const Path& Of);

/// Whether objects of the two owners may be one.
bool mayBeOne(const Path& A, const Path& B);

/// The declaration that stands for D and its instances.
const clang::ValueDecl& patternOf(const clang::ValueDecl& D);
const clang::FunctionDecl& patternOf(const clang::FunctionDecl& F);

}  // namespace graphgen::check
