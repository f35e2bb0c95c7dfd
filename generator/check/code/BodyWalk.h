// SPDX-License-Identifier: Apache-2.0
//
// The statements and expressions that are executed when a body is, and whether they always are.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {

/// `IsCertain`: each time that the body is executed and does not throw.
using StatementVisitor = llvm::function_ref<void(const clang::Stmt& S, bool IsCertain)>;

/// Visits each statement before its parts; of a lambda the captures only. Left out: what is not evaluated, what a constant condition
/// excludes, what follows a statement that leaves, what ends in a throw or a fatal log, handlers of exceptions, and what a warm-up
/// executes: the initializers of static variables, std::call_once.
void walkBody(const clang::FunctionDecl& Definition, StatementVisitor Visit);

}  // namespace graphgen::check
