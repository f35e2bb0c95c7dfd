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
/// excludes, what ends in a throw or a fatal log, handlers of exceptions, and the initializers of static variables, which a warm-up
/// executes.
void walkBody(const clang::FunctionDecl& Definition, StatementVisitor Visit);

}  // namespace graphgen::check
