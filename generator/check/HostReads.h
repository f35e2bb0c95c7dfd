// SPDX-License-Identifier: Apache-2.0
//
// Functions of LibTorch that read values of tensors on the host on their own: to check them, to allocate, to choose what to compute.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

struct HostRead {
  llvm::StringRef Name;  // of the function, or of the module's class
  clang::SourceLocation Where;
  bool IsCertain = false;   // else it depends on where a tensor lies, or on its size
  bool IsBackward = false;  // its backward does

  explicit operator bool() const { return !Name.empty(); }
};

/// S as a call of one, with arguments with which it reads; else none.
HostRead ownHostRead(const clang::Stmt& S, AnnotationsOfOne Annotations);

}  // namespace graphgen::check
