// SPDX-License-Identifier: Apache-2.0
//
// Functions of linear algebra that read on the host whether they failed.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class LinalgSyncCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
