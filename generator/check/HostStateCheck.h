// SPDX-License-Identifier: Apache-2.0
//
// State of the host that each call changes; what is written and logged.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class HostStateCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
