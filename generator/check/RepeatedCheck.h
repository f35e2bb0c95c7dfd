// SPDX-License-Identifier: Apache-2.0
//
// A capture-safety check of what a capture meets each time, and not of what the warm-ups have done for good.
#pragma once

#include "check/SettledBranches.h"

#include <utility>

namespace graphgen::check {

class RepeatedCheck : public CaptureCheck {
 public:
  using CaptureCheck::CaptureCheck;

 protected:
  void report(const Place& At, clang::SourceLocation Where, clang::SourceRange Range, const llvm::Twine& Message,
              std::vector<Note> Notes = {}) const {
    if (!isInSettledBranch(Where, At)) {
      CaptureCheck::report(At, Where, Range, Message, std::move(Notes));
    }
  }

  void suspect(const Place& At, clang::SourceLocation Where, clang::SourceRange Range, const llvm::Twine& Message,
               std::vector<Note> Notes = {}) const {
    if (!isInSettledBranch(Where, At)) {
      CaptureCheck::suspect(At, Where, Range, Message, std::move(Notes));
    }
  }
};

}  // namespace graphgen::check
