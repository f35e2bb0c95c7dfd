// SPDX-License-Identifier: Apache-2.0
//
// Switches on constants.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

#include <optional>
#include <vector>

namespace graphgen::check {

/// The statements of the body that are executed, from the constant's case on to what leaves it. Nothing where the condition is no constant,
/// or a case stands deeper in the body.
std::optional<std::vector<const clang::Stmt*>> executedOf(const clang::SwitchStmt& S, const clang::ASTContext& Context);

}  // namespace graphgen::check
