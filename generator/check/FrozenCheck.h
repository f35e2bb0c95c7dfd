// SPDX-License-Identifier: Apache-2.0
//
// A number that is no parameter, read by the callable and changed between its calls.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class FrozenCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }

 private:
  void judge(const clang::Expr& Given, const Place& At) const;
};

}  // namespace graphgen::check
