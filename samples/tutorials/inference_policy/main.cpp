// SPDX-License-Identifier: Apache-2.0
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>

struct PolicyImpl : torch::nn::Module {
  GRAPHED(obs: f32[1, 84])
  torch::Tensor act(const torch::Tensor& obs) { return torch::tanh(net->forward(obs)); }

  torch::nn::Sequential net =
      register_module("net", torch::nn::Sequential(torch::nn::Linear(84, 256), torch::nn::ReLU(), torch::nn::Linear(256, 256),
                                                   torch::nn::ReLU(), torch::nn::Linear(256, 6)));
};
TORCH_MODULE(Policy);

#include "main.graphed.h"  // graphgen writes it, from this file

int main() {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  const torch::NoGradGuard no_grad;
  Policy policy;
  policy->to(device);
  policy->eval();

  graphed::callable<&PolicyImpl::act> act(policy);
  act.prepare(torch::zeros({1, 84}, device));  // captures now, so that the first tick is as fast as the others

  bool equal = true;
  for (int tick = 0; tick < 100; ++tick) {
    const torch::Tensor obs = torch::randn({1, 84}, device);
    const torch::Tensor action = act(obs);
    equal = equal && torch::equal(action, policy->act(obs));
  }
  std::cout << "the same bits as eager: " << (equal ? "yes" : "no") << '\n' << act.stats();
}
