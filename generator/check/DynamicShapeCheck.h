// SPDX-License-Identifier: Apache-2.0
//
// A result whose shape depends on a tensor's values: nonzero, masked_select, an index by a mask.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class DynamicShapeCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
