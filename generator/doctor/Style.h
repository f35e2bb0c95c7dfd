// SPDX-License-Identifier: Apache-2.0
//
// Whether clang-format keeps annotations as they are written.
#pragma once

#include "doctor/Finding.h"

#include <optional>

namespace graphgen::doctor {

/// Of the .clang-format that rules in the current folder; nothing where there is none.
std::optional<Finding> judgeStyle();

}  // namespace graphgen::doctor
