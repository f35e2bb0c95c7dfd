// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation with a cumulative average, which reads its count on the host.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class BatchNormAverageCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }
};

}  // namespace graphgen::check
