// SPDX-License-Identifier: Apache-2.0
//
// Makes a training program that shows a difference smaller.
#pragma once

#include "program.h"

#include <functional>

namespace graphed::fuzz::training {

/// A program that `fails` still holds for, and for no program that is one step smaller. It breaks no rule.
program shrink(program program, const std::function<bool(const training::program&)>& fails);

}  // namespace graphed::fuzz::training
