// SPDX-License-Identifier: Apache-2.0
//
// A result whose shape depends on a tensor's values: nonzero, masked_select, an index by a mask, and what is written at one.
#pragma once

#include "check/CaptureCheck.h"

#include "clang/AST/Expr.h"

namespace graphgen::check {

class DynamicShapeCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;

 private:
  void tell(llvm::StringRef Name, clang::SourceLocation Where, const clang::CallExpr& Call, const Place& At) const;
};

}  // namespace graphgen::check
