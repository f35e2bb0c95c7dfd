// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

struct PolicyImpl : torch::nn::Module {
  GRAPHED(obs: f32[64, 17], actions: f32[64, 6])
  torch::Tensor loss(const torch::Tensor& obs, const torch::Tensor& actions) {
    const torch::Tensor predicted = net->forward(obs);
    return torch::mse_loss(predicted, actions);
  }

  torch::nn::Sequential net =
      register_module("net", torch::nn::Sequential(torch::nn::Linear(17, 64), torch::nn::Tanh(), torch::nn::Linear(64, 64),
                                                   torch::nn::Tanh(), torch::nn::Linear(64, 6)));
};
TORCH_MODULE(Policy);
