// SPDX-License-Identifier: Apache-2.0
//
// Work of other threads.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class ThreadCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
