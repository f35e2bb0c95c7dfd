// SPDX-License-Identifier: Apache-2.0
//
// A parameter that is no tensor and that the annotation does not mention: a capture would freeze its value.
#pragma once

#include "check/Check.h"

namespace graphgen::check {

class UnmarkedScalarCheck : public Check {
 public:
  using Check::Check;
  void check(const scan::ScannedCallable& Scanned, scan::Reporter& Report) const override;
};

}  // namespace graphgen::check
