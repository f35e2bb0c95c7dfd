// SPDX-License-Identifier: Apache-2.0
//
// An annotation that does not fit the declaration: unknown names, missing tensors, arguments of another kind than their parameter.
#pragma once

#include "check/Check.h"

namespace graphgen::check {

class AnnotationMismatchCheck : public Check {
 public:
  using Check::Check;
  void check(const scan::ScannedCallable& Scanned, scan::Reporter& Report) const override;
};

}  // namespace graphgen::check
