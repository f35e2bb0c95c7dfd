// SPDX-License-Identifier: Apache-2.0
//
// Runs of LibTorch's modules, and what these were made of.
#pragma once

#include "check/state/UnitIndex.h"

#include "clang/AST/Expr.h"

#include <vector>

namespace graphgen::check {

struct ModuleRun {
  const clang::Expr* Module = nullptr;  // the variable that holds it
  llvm::ArrayRef<const clang::Expr*> Arguments;
  clang::SourceLocation Where;
  llvm::StringRef Class;  // that has `forward`, as its holder is called: Linear

  explicit operator bool() const { return Module != nullptr; }
};

/// S as `net(x)` or `net->forward(x)` of a module of LibTorch's; else none.
ModuleRun moduleRun(const clang::Stmt& S);

/// What the module may have been made of, for all that the unit says.
std::vector<const clang::Expr*> valuesOf(const ModuleRun& Run, const UnitIndex& Index);

}  // namespace graphgen::check
