// SPDX-License-Identifier: Apache-2.0
//
// Tensors that an operator copies to another one's device without being asked: torch::where(mask, a, b), x.index({i}), x[0] = y.
#pragma once

#include "check/CaptureCheck.h"

#include <vector>

namespace graphgen::check {

struct MovedTensors {
  std::string Name;
  clang::SourceLocation Where;
  std::vector<const clang::Expr*> Moved;   // where they lie elsewhere
  std::vector<const clang::Expr*> Beside;  // to the device of one of these
};

/// Those of S; none where it is no such operator.
MovedTensors movedTensors(const clang::Stmt& S, const Place& At);

}  // namespace graphgen::check
