// SPDX-License-Identifier: Apache-2.0
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>

struct ClassifierImpl : torch::nn::Module {
  GRAPHED(images: f32[B, 784]; B in {1, 8, 64} pad)
  torch::Tensor classify(const torch::Tensor& images) { return torch::softmax(net->forward(images), 1); }

  torch::nn::Sequential net =
      register_module("net", torch::nn::Sequential(torch::nn::Linear(784, 128), torch::nn::ReLU(), torch::nn::Linear(128, 10)));
};
TORCH_MODULE(Classifier);

#include "main.graphed.h"  // graphgen writes it, from this file

int main() {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  const torch::NoGradGuard no_grad;
  Classifier classifier;
  classifier->to(device);
  classifier->eval();

  graphed::callable<&ClassifierImpl::classify> classify(classifier);
  classify.prepare(torch::zeros({1, 784}, device));  // a capture for each of 1, 8 and 64

  bool close = true;
  for (int request = 0; request < 200; ++request) {
    const int64_t size = request % 65 + 1;  // 1 to 65: the last is larger than every size
    const torch::Tensor images = torch::randn({size, 784}, device);
    close = close && torch::allclose(classify(images), classifier->classify(images), 1e-4, 1e-6);
  }
  std::cout << "the same as eager: " << (close ? "yes" : "no") << '\n' << classify.stats();
}
