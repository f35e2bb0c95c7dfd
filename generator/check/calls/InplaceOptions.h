// SPDX-License-Identifier: Apache-2.0
//
// Activations and dropouts of LibTorch that are told to write into their input: `ReLU(ReLUOptions(true))`, `F::elu(x,
// options.inplace(true))`.
#pragma once

#include "check/state/UnitIndex.h"

#include "clang/AST/Expr.h"

namespace graphgen::check {

struct InplaceRun {
  const clang::Expr* Input = nullptr;
  llvm::StringRef Name;  // of the module's class or of the function
  clang::SourceLocation Where;
  bool IsAlways = false;  // dropouts write while they train only

  explicit operator bool() const { return Input != nullptr; }
};

/// S as the run of one whose options are seen in the unit; else none.
InplaceRun inplaceRun(const clang::Stmt& S, const UnitIndex& Index);

}  // namespace graphgen::check
