// SPDX-License-Identifier: Apache-2.0
//
// A tensor printed, or written into a string.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class HostPrintCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
