// SPDX-License-Identifier: Apache-2.0
//
// An argument that is written, and not marked `inplace`.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class UnmarkedWriteCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool isOfTargets() const override { return true; }
};

}  // namespace graphgen::check
