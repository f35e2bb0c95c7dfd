// SPDX-License-Identifier: Apache-2.0
//
// Whether a local variable may come to hold another value than that which it was made with, and which.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <optional>
#include <vector>

namespace graphgen::check {

/// Assigned to somewhere in its function, or handed by reference or address to a function of the program's, but for tensors and objects of
/// the program's where the body that is seen keeps them.
bool isReassigned(const clang::VarDecl& Variable);

/// Whether a function with a parameter of this type may change what it is handed there: a reference or pointer to what is not const.
bool mayChange(clang::QualType Parameter);

/// The definition of F with its parameters as they are written, a template's of its instances; null where none is seen, or where parameters
/// are packs.
const clang::FunctionDecl* writtenBody(const clang::FunctionDecl& F);

/// What is assigned to it there; nothing where a function that it is handed to may change it, or another name for it.
std::optional<std::vector<const clang::Expr*>> valuesAssigned(const clang::VarDecl& Variable);

/// What it may hold where `Use` names it, in the order of the text: of what it is made of and assigned in all what stands before, and in a
/// loop or lambda around the use alone what stands after it too. An undefined tensor is left out.
std::optional<std::vector<const clang::Expr*>> valuesAt(const clang::DeclRefExpr& Use, const clang::VarDecl& Variable);

}  // namespace graphgen::check
