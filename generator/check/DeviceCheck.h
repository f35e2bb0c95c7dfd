// SPDX-License-Identifier: Apache-2.0
//
// A tensor made on another device than the callable's.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class DeviceCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }
};

}  // namespace graphgen::check
