// SPDX-License-Identifier: Apache-2.0
//
// A tensor's value as a number of the host: item, is_nonzero, an index by a tensor without dimensions, what functions read
// on their own.
#pragma once

#include "check/RepeatedCheck.h"

namespace graphgen::check {

class HostItemCheck : public RepeatedCheck {
 public:
  using RepeatedCheck::RepeatedCheck;
  void check(const clang::Stmt& S, const Place& At) const override;

 private:
  void judgeOwnRead(const clang::Stmt& S, const Place& At) const;
};

}  // namespace graphgen::check
