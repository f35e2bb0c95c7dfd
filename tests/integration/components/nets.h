// SPDX-License-Identifier: Apache-2.0
//
// Is scanned only.
#pragma once

#include <graphed/annotate.h>

#include <torch/torch.h>

GRAPHED(x: f32[2])
torch::Tensor net(const torch::Tensor& x);
