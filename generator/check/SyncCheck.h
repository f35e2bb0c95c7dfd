// SPDX-License-Identifier: Apache-2.0
//
// Calls that wait for the device, or ask it whether it is done.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class SyncCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
