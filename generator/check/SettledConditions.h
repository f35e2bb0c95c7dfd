// SPDX-License-Identifier: Apache-2.0
//
// Conditions that a branch makes false for good.
#pragma once

#include "check/Annotations.h"
#include "check/code/Frame.h"
#include "check/state/BranchEffects.h"
#include "check/state/UnitIndex.h"

namespace graphgen::check {

/// Whether a branch with these effects, taken where the condition is `Taken`, leaves it the other way, and nothing else changes that.
bool isSettled(const clang::Expr& Condition, bool Taken, const BranchEffects& Effects, const Frame& In, const UnitIndex& Index,
               AnnotationsOfOne Annotations);

}  // namespace graphgen::check
