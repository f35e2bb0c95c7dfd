// SPDX-License-Identifier: Apache-2.0
//
// Gradients that the callable leaves in `.grad`.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class BackwardCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }
};

}  // namespace graphgen::check
