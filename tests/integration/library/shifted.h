// SPDX-License-Identifier: Apache-2.0
//
// The callable of a library; its argument's size depends on the configuration.
#pragma once

#include <graphed/annotate.h>

#include <torch/types.h>

GRAPHED(x: f32[3 + SHIFT])
torch::Tensor shifted(const torch::Tensor& x);
