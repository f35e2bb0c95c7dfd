// SPDX-License-Identifier: Apache-2.0
//
// Hooks of tensors from outside, and gradients that are to be retained.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class HookCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
