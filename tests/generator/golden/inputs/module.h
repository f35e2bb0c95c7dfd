// SPDX-License-Identifier: Apache-2.0
//
// A method of a module.
#pragma once

#include <graphed/annotate.h>
#include <torch/nn/modules/linear.h>

struct PolicyImpl : torch::nn::Module {
  GRAPHED(obs: f32[64, 17], actions: f32[64, 6])
  torch::Tensor loss(const torch::Tensor& obs, const torch::Tensor& actions);

  torch::nn::Linear net = register_module("net", torch::nn::Linear(17, 6));
};
TORCH_MODULE(Policy);
