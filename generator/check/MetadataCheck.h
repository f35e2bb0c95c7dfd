// SPDX-License-Identifier: Apache-2.0
//
// A tensor from outside that becomes another one in place: its shape, its memory, whether it requires grad.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class MetadataCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool isOfTargets() const override { return true; }
};

}  // namespace graphgen::check
