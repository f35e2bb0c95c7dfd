// SPDX-License-Identifier: Apache-2.0
//
// The remedy that needs no other code: the statement goes on as it is, on the host, between two pieces of the graph.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace graphgen::check {

/// The variable of the call that the expression assigns to, or counts up or down; null where it does neither.
const clang::ValueDecl* localChangedBy(const clang::Stmt& At);

/// The part that graphed::host is given; null where it is none, or a variable holds it.
const clang::LambdaExpr* lambdaIn(const clang::Expr& E);

/// Whether what the check finds is right in a host part.
bool isRightOnHost(llvm::StringRef Check);

/// Puts the statement of `Body` that `At` is a part of into graphed::host, and includes graphed/host.h where that is missing. Nothing where
/// it is not an expression of its own, changes a variable of the call, or names one that is neither a tensor nor a number. Nothing as well
/// where no file around it can include the header.
std::vector<clang::FixItHint> runOnHost(const clang::FunctionDecl& Body, const clang::Stmt& At);

}  // namespace graphgen::check
