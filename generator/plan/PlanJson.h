// SPDX-License-Identifier: Apache-2.0
//
// The plan as JSON: what --dump-plan prints and <stem>.graphed.json holds.
#pragma once

#include "plan/Plan.h"

#include <string>

namespace graphgen::plan {

/// Counted up where a reader of an earlier one would go wrong; docs/reference/manifest.md says what stays.
constexpr int SchemaVersion = 1;

/// Indented, ending in a newline; the same plan gives the same bytes.
std::string toJson(const FilePlan& Plan);

}  // namespace graphgen::plan
