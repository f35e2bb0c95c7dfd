// SPDX-License-Identifier: Apache-2.0
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct EncoderImpl : torch::nn::Module {
  GRAPHED(x: f32[16, 64])
  torch::Tensor encode(const torch::Tensor& x) { return net->forward(x); }

  torch::nn::Sequential net =
      register_module("net", torch::nn::Sequential(torch::nn::Linear(64, 64), torch::nn::GELU(), torch::nn::Linear(64, 64)));
};
TORCH_MODULE(Encoder);

#include "main.graphed.h"  // graphgen writes it, from this file

int main() {
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  const torch::NoGradGuard no_grad;
  Encoder encoder;
  encoder->to(device);
  encoder->eval();
  graphed::callable<&EncoderImpl::encode> encode(encoder);

  std::vector<torch::Tensor> codes;  // kept as they are: no clone()
  for (int batch = 0; batch < 10; ++batch) {
    const int64_t rows = batch == 9 ? 5 : 16;  // the last batch is smaller
    codes.push_back(encode(torch::full({rows, 64}, batch / 10.0, device)));
  }

  bool equal = true;
  for (int batch = 0; batch < 10; ++batch) {
    equal = equal && torch::equal(codes[batch], encoder->encode(torch::full({codes[batch].size(0), 64}, batch / 10.0, device)));
  }
  std::cout << "the same bits as eager: " << (equal ? "yes" : "no") << '\n' << encode.stats();
}
