// SPDX-License-Identifier: Apache-2.0
//
// Why a call would not be replayed.
#pragma once

#include "plan/Plan.h"

#include <string>
#include <vector>

namespace graphgen::plan {

/// What the runtime's guards ask of a call, each as what a call does that misses. docs/explanation/guards.md has them all.
std::vector<std::string> reasonsToMiss(const Callable& Callable);

}  // namespace graphgen::plan
