// SPDX-License-Identifier: Apache-2.0
//
// A CUDA generator of the program's own.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class GeneratorCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
