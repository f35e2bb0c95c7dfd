// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/captured_graph.h"

#include <graphed/spec.h>

namespace graphed {

/// Where GRAPHED_DUMP names a folder, writes the graph into it: "app.policy-3-forward.dot", numbered in the process. A file that cannot be
/// written is a warning.
void dump(const callable_spec& spec, const char* direction, const captured_graph& graph);

}  // namespace graphed
