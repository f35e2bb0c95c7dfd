// SPDX-License-Identifier: Apache-2.0
//
// What the names of LibTorch's own operators tell, beyond their schemas.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace graphed {

/// Whether its results are memory without values.
bool only_allocates(const c10::OperatorHandle& op);

/// Whether cuSOLVER waits for the device inside of it, which ends a capture; and, by an error of its own that stays, the next call of
/// cuSOLVER's after it. Measured with CUDA 13.0: _linalg_eigh, linalg_ldl_factor_ex.
bool waits_in_cusolver(const c10::OperatorHandle& op, c10::DispatchKeySet keys);

}  // namespace graphed
