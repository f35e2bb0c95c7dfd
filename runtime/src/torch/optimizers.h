// SPDX-License-Identifier: Apache-2.0
//
// What LibTorch's optimizers do otherwise from version to version.
#pragma once

#include "torch/libtorch_version.h"

namespace graphed::impl {

/// Whether Python's gradient scaler lets a fused Adagrad divide the gradients, in place of multiplying them by the inverse.
#if GRAPHED_LIBTORCH_AT_LEAST(2, 15)
inline constexpr bool adagrad_divides_gradients = true;
#else
inline constexpr bool adagrad_divides_gradients = false;
#endif

}  // namespace graphed::impl
