// SPDX-License-Identifier: Apache-2.0
//
// A tensor's memory read or written by the host: data_ptr dereferenced, accessor.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

class HostPointerCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;
  void check(const clang::Stmt& S, const Place& At) const override;
};

}  // namespace graphgen::check
