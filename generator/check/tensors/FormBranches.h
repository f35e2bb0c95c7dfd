// SPDX-License-Identifier: Apache-2.0
//
// Branches on what is the same in each replay of one graph: the tensors' shapes and types.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace graphgen::check {

/// Whether S, in the body of `In`, is executed under a condition that asks for tensors' forms, and for no value of theirs.
bool isUnderForm(const clang::Stmt& S, const clang::FunctionDecl& In);

}  // namespace graphgen::check
