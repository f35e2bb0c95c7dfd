// SPDX-License-Identifier: Apache-2.0
//
// The environment and files, read.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class HostInputCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }
};

}  // namespace graphgen::check
