// SPDX-License-Identifier: Apache-2.0
//
// A plan as text for people: what --explain prints.
#pragma once

#include "plan/Plan.h"

#include <string>

namespace graphgen::plan {

/// For each callable its surface, its inputs with their bytes, its captures, its options and where they come from, and what keeps a call
/// from being replayed.
std::string explain(const FilePlan& Plan);

}  // namespace graphgen::plan
