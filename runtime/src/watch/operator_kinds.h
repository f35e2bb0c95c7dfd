// SPDX-License-Identifier: Apache-2.0
//
// What the names of LibTorch's own operators tell, beyond their schemas.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace graphed {

/// Whether its results are memory without values.
bool only_allocates(const c10::OperatorHandle& op);

}  // namespace graphed
