// SPDX-License-Identifier: Apache-2.0
//
// State of the host that each call changes; what is written and logged.
#pragma once

#include "check/RepeatedCheck.h"

namespace graphgen::check {

class HostStateCheck : public RepeatedCheck {
 public:
  using RepeatedCheck::RepeatedCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
  bool onlyWarns() const override { return true; }
};

}  // namespace graphgen::check
