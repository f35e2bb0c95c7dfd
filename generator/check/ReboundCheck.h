// SPDX-License-Identifier: Apache-2.0
//
// A tensor, or a module, assigned to what outlives the call: a member, a global, an argument.
#pragma once

#include "check/CaptureCheck.h"
#include "check/WriteSet.h"

namespace graphgen::check {

class ReboundCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;

 private:
  void judgeModule(const Write& Given, const Place& At) const;
};

}  // namespace graphgen::check
