// SPDX-License-Identifier: Apache-2.0
//
// The LibTorch that this is built for. Only this folder asks.
#pragma once

#include <torch/headeronly/version.h>

#define GRAPHED_LIBTORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))
