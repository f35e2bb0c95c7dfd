// SPDX-License-Identifier: Apache-2.0
//
// A tensor copied to the host: cpu, to(kCPU), copy_ into a tensor that lies there.
#pragma once

#include "check/RepeatedCheck.h"

namespace graphgen::check {

class HostCopyCheck : public RepeatedCheck {
 public:
  using RepeatedCheck::RepeatedCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
