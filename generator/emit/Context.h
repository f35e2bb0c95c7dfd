// SPDX-License-Identifier: Apache-2.0
//
// A plan as the keys that the templates use.
#pragma once

#include "plan/Plan.h"

#include "llvm/Support/JSON.h"

namespace graphgen::emit {

/// What the templates header, source and whole render.
llvm::json::Object templateContext(const plan::FilePlan& Plan);

}  // namespace graphgen::emit
