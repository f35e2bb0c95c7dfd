// SPDX-License-Identifier: Apache-2.0
//
// The state of a random generator, set.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class SeedCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
