// SPDX-License-Identifier: Apache-2.0
//
// What builds a project: CMake, Ninja, the C++ compiler.
#pragma once

#include "doctor/Finding.h"

#include <vector>

namespace graphgen::doctor {

std::vector<Finding> judgeTools();

}  // namespace graphgen::doctor
