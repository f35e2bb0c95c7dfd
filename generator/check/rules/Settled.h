// SPDX-License-Identifier: Apache-2.0
//
// Branches that the warm-ups take, and no later call: `if (!table.defined()) table = ...`.
#pragma once

#include "check/rules/Rule.h"

namespace graphgen::check {

/// Whether the place is in one: its condition asks for what outlives the call, and the branch, or a body that it runs, makes it false.
bool isSettled(const Occurrence& At);

/// A tensor or pointer that is none: `torch::Tensor()`, `nullptr`.
bool isEmpty(const clang::Expr& Value);

}  // namespace graphgen::check
