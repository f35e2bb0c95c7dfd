// SPDX-License-Identifier: Apache-2.0
//
// The callable of a library; its argument's size depends on the configuration.
#pragma once

#include <graphed/annotate.h>

#include <torch/types.h>

constexpr int64_t size = 3 + SHIFT;

GRAPHED(x: f32[size])
torch::Tensor shifted(const torch::Tensor& x);
