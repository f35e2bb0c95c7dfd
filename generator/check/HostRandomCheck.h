// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of the host.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class HostRandomCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
