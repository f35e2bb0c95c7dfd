// SPDX-License-Identifier: Apache-2.0
//
// Branches that the warm-ups take and no later call does: `if (!table.defined()) table = ...`, `if (length > cached) fill(length)`.
#pragma once

#include "check/CaptureCheck.h"

namespace graphgen::check {

/// Whether Where, in the body of `At.In`, or a call on the way there, stands in such a branch: its condition asks for a member or variable
/// that the branch, or what it calls, sets to what makes the condition false, and that nothing else in the unit changes but constructors.
bool isInSettledBranch(clang::SourceLocation Where, const Place& At);

}  // namespace graphgen::check
