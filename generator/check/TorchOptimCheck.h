// SPDX-License-Identifier: Apache-2.0
//
// torch::optim's optimizers and schedulers, and gradients clipped by their norm.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class TorchOptimCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
