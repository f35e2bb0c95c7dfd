// SPDX-License-Identifier: Apache-2.0
//
// Destructors of the program's own that no call names.
#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Stmt.h"

#include <vector>

namespace graphgen::check {

struct Destruction {
  const clang::CXXDestructorDecl* Function;
  clang::SourceLocation Where;  // of what is destroyed
  bool IsCertain;               // once S is executed
};

/// Of the variables that S declares, of the temporary that it is, of what it deletes, and of their parts.
std::vector<Destruction> destructionsBy(const clang::Stmt& S);

}  // namespace graphgen::check
