// SPDX-License-Identifier: Apache-2.0
//
// Skipping an update of several operators by a flag on the device.
#pragma once

#include "optim/algorithm.h"

#include <c10/util/FunctionRef.h>

namespace graphed::optim {

/// Runs `update`; where `found_inf` is 1, what it changed of the batch has its former value afterwards.
void update_unless(const at::Tensor& found_inf, const batch& batch, c10::function_ref<void()> update);

}  // namespace graphed::optim
