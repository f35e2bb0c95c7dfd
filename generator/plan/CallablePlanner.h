// SPDX-License-Identifier: Apache-2.0
//
// The plan of one callable.
#pragma once

#include "plan/Plan.h"

#include <vector>

namespace graphgen::plan {

/// Without its identifier, which depends on the file's other callables. Nothing where problems were found.
std::optional<Callable> planCallable(const annotation::Callable& Declared, std::vector<annotation::Diagnostic>& Problems);

}  // namespace graphgen::plan
