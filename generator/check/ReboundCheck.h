// SPDX-License-Identifier: Apache-2.0
//
// A tensor, or a module, assigned to what outlives the call: a member, a global, an argument.
#pragma once

#include "check/RepeatedCheck.h"
#include "check/WriteSet.h"

namespace graphgen::check {

class ReboundCheck : public RepeatedCheck {
 public:
  using RepeatedCheck::RepeatedCheck;
  void check(const clang::Stmt& S, const Place& At) const override;

 private:
  void judgeModule(const Write& Given, const Place& At) const;
};

}  // namespace graphgen::check
