// SPDX-License-Identifier: Apache-2.0
//
// Whether a local variable may come to hold another value than that which it was made with.
#pragma once

#include "clang/AST/Decl.h"

namespace graphgen::check {

/// Assigned to, or handed by reference or address to a function of the program's, somewhere in its function.
bool isReassigned(const clang::VarDecl& Variable);

}  // namespace graphgen::check
