// SPDX-License-Identifier: Apache-2.0
//
// An argument marked `grad` that no gradient reaches.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class CutGradientCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }
};

}  // namespace graphgen::check
