// SPDX-License-Identifier: Apache-2.0
//
// Statements after which the next one is not executed.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace graphgen::check {

/// In a throw, a function that does not return, or a fatal log: TORCH_CHECK_EQ, CHECK, LOG(FATAL).
bool endsInThrow(const clang::Stmt* S);

/// Whether S, executed, never comes to its end; also through a branch on a constant.
bool leaves(const clang::Stmt* S, const clang::ASTContext& Context);

/// A case of a switch, or a target of goto.
bool holdsLabel(const clang::Stmt& S);

/// `break` or `continue` of a loop or switch around S.
bool holdsBreak(const clang::Stmt& S);

}  // namespace graphgen::check
