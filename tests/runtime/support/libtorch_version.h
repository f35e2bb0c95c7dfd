// SPDX-License-Identifier: Apache-2.0
//
// What tests expect of some versions of LibTorch and not of others.
#pragma once

#include <torch/headeronly/version.h>

namespace graphed::testing {

/// Of its kernels are the figures in docs/results.
inline constexpr bool made_the_recorded_tables = TORCH_VERSION_MINOR == 11;

}  // namespace graphed::testing

/// at::cholesky, which has been dropped.
#define TESTS_HAVE_CHOLESKY (TORCH_VERSION_MINOR < 14)
