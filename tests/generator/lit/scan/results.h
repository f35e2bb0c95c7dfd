// SPDX-License-Identifier: Apache-2.0
//
// Every type of result.
// RUN: graphgen --check %s %flags
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

using Pair = std::pair<torch::Tensor, at::Tensor>;

GRAPHED(x: f32[2]) void nothing(torch::Tensor x);
GRAPHED(x: f32[2]) at::Tensor tensor(torch::Tensor x);
GRAPHED(x: f32[2]) std::vector<torch::Tensor> vector(torch::Tensor x);
GRAPHED(x: f32[2]) std::tuple<torch::Tensor, at::Tensor, torch::Tensor> tuple(torch::Tensor x);
GRAPHED(x: f32[2]) Pair pair(torch::Tensor x);
GRAPHED(x: f32[2]) std::array<torch::Tensor, 4> array(torch::Tensor x);
