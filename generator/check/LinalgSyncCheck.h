// SPDX-License-Identifier: Apache-2.0
//
// Functions of linear algebra that wait for the device, most to read on the host whether they failed.
#pragma once

#include "check/CaptureCheck.h"
#include "check/code/KnownCalls.h"

namespace graphgen::check {

class LinalgSyncCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;

 private:
  void judgeBatch(const KnownCall& Call, const clang::Stmt& S, const Place& At) const;
  void judgeFactors(const KnownCall& Call, const clang::Stmt& S, const Place& At) const;
};

}  // namespace graphgen::check
