// SPDX-License-Identifier: Apache-2.0
//
// Work on the default stream, which is not the one that is captured.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class DefaultStreamCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;

 private:
  void judgeHandle(const clang::CallExpr& Call, const clang::FunctionDecl& Function, const Place& At) const;
};

}  // namespace graphgen::check
