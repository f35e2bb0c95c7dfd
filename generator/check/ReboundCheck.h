// SPDX-License-Identifier: Apache-2.0
//
// A tensor assigned to what outlives the call: a member, a global, an argument.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class ReboundCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
