// SPDX-License-Identifier: Apache-2.0
//
// The tensors of one annotation.
#pragma once

#include "plan/Plan.h"

namespace graphgen::plan {

/// Of an annotation without problems.
Samples planSamples(const annotation::Callable& Declared);

}  // namespace graphgen::plan
