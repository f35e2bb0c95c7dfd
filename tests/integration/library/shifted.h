// SPDX-License-Identifier: Apache-2.0
//
// The callable of a library; its argument's size depends on the configuration.
#pragma once

#include <graphed/annotate.h>

#include <ATen/core/Tensor.h>

constexpr int64_t size = 3 + SHIFT;

#define NETS_EXPORT __attribute__((visibility("default")))

GRAPHED(x: f32[size])
NETS_EXPORT at::Tensor shifted(const at::Tensor& x);
