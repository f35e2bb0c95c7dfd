// SPDX-License-Identifier: Apache-2.0
//
// A mode of the thread that is set and not set back.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class ModeCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }
};

}  // namespace graphgen::check
