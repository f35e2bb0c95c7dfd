// SPDX-License-Identifier: Apache-2.0
//
// A condition computed from a tensor's value.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class HostBranchCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
