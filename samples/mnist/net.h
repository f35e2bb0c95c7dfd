// SPDX-License-Identifier: Apache-2.0
//
// The network of PyTorch's C++ tutorial, of the same layers (https://github.com/pytorch/examples/tree/main/cpp/mnist), in plain LibTorch:
// nothing here knows of graphs.
#pragma once

#include <torch/nn.h>

namespace mnist {

class NetImpl : public torch::nn::Module {
 public:
  NetImpl();

  /// images: f32[n, 1, 28, 28]. Returns logarithms of probabilities, f32[n, 10].
  torch::Tensor forward(const torch::Tensor& images);

 private:
  torch::nn::Conv2d conv1_, conv2_;
  torch::nn::Dropout2d channel_dropout_;
  torch::nn::Linear fc1_, fc2_;
  torch::nn::Dropout dropout_;
};
TORCH_MODULE(Net);

}  // namespace mnist
