// SPDX-License-Identifier: Apache-2.0
//
// ResNet-18 (https://arxiv.org/abs/1512.03385), with the layers of torchvision's.
#pragma once

#include <torch/nn.h>

#include <cstdint>

namespace benchmarks {

/// Two convolutions beside a shortcut.
class BasicBlockImpl : public torch::nn::Module {
 public:
  BasicBlockImpl(int64_t in, int64_t out, int64_t stride);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::nn::Conv2d conv1_, conv2_;
  torch::nn::BatchNorm2d norm1_, norm2_;
  torch::nn::Sequential shortcut_;
};
TORCH_MODULE(BasicBlock);

class ResNet18Impl : public torch::nn::Module {
 public:
  ResNet18Impl();

  /// images: f32[n, 3, 224, 224]. Returns f32[n, 1000].
  torch::Tensor forward(const torch::Tensor& images);

 private:
  torch::nn::Conv2d stem_;
  torch::nn::BatchNorm2d norm_;
  torch::nn::Sequential blocks_;
  torch::nn::Linear head_;
};
TORCH_MODULE(ResNet18);

}  // namespace benchmarks
