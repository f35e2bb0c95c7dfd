// SPDX-License-Identifier: Apache-2.0
#include <graphed/annotate.h>
#include <graphed/optim.h>
#include <torch/torch.h>

#include <iostream>

struct Trainer {
  explicit Trainer(torch::Device device) {
    net->to(device);
    optimizer.emplace(net->parameters(), graphed::optim::AdamOptions(0.01));
  }

  GRAPHED(x: f32[64, 8], y: f32[64, 1]; step)
  torch::Tensor learn(const torch::Tensor& x, const torch::Tensor& y) {
    optimizer->zero_grad();
    const torch::Tensor loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    optimizer->step();
    return loss.detach();
  }

  torch::nn::Sequential net{torch::nn::Linear(8, 64), torch::nn::Tanh(), torch::nn::Linear(64, 1)};
  std::optional<graphed::optim::Adam> optimizer;
};

#include "main.graphed.h"  // graphgen writes it, from this file

template <class Learn>
torch::Tensor train(Learn&& learn, const torch::Tensor& x, const torch::Tensor& y) {
  torch::Tensor loss;
  for (int step = 0; step < 200; ++step) {
    loss = learn(x, y);
  }
  return loss;
}

int main() {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  torch::manual_seed(0);
  const torch::Tensor x = torch::randn({64, 8}, device), y = x.sum(1, /*keepdim=*/true).sin();

  torch::manual_seed(1);
  Trainer eager(device);
  const torch::Tensor expected = train([&](const auto&... batch) { return eager.learn(batch...); }, x, y);

  torch::manual_seed(1);
  Trainer trainer(device);
  graphed::callable<&Trainer::learn> learn(trainer);
  const torch::Tensor found = train(learn, x, y);

  std::cout << "loss after 200 steps: " << found.item<float>() << '\n'
            << "the same bits as eager: " << (torch::equal(found, expected) ? "yes" : "no") << '\n'
            << learn.stats();
}
