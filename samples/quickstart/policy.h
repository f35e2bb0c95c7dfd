// SPDX-License-Identifier: Apache-2.0
//
// A policy of one layer, annotated with the shapes that it is called with.
#pragma once

#include <graphed/annotate.h>

#include <torch/types.h>

namespace app {

GRAPHED(obs: f32[64, 128], w: f32[128, 10] grad)
torch::Tensor policy(const torch::Tensor& obs, const torch::Tensor& w);

}  // namespace app
