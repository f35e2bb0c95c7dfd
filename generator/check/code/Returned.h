// SPDX-License-Identifier: Apache-2.0
//
// What a function gives back.
#pragma once

#include "clang/AST/Stmt.h"

#include <vector>

namespace graphgen::check {

/// The returns of a body, in the order of the text; those of lambdas in it are none.
std::vector<const clang::ReturnStmt*> returnsIn(const clang::Stmt& Body);

}  // namespace graphgen::check
