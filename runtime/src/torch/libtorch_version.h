// SPDX-License-Identifier: Apache-2.0
//
// The LibTorch that this is built for. Only this folder asks; others see what it comes to.
#pragma once

#include <torch/headeronly/version.h>

#define GRAPHED_LIBTORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

namespace graphed::impl {

inline constexpr const char* libtorch_version = TORCH_VERSION;

/// Whether Python's gradient scaler lets a fused Adagrad divide the gradients, instead of multiplying them by the inverse.
inline constexpr bool adagrad_divides_gradients = GRAPHED_LIBTORCH_AT_LEAST(2, 15);

}  // namespace graphed::impl
