// SPDX-License-Identifier: Apache-2.0
//
// A convolutional network for 8x8 images of digits. Its loss and its evaluation are annotated for graphgen.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn.h>

#include <cstdint>

namespace digits {

constexpr int64_t batch_size = 64;
constexpr int64_t held_out_images = 300;

class NetImpl : public torch::nn::Module {
 public:
  NetImpl();

  GRAPHED(images: f32[held_out_images, 1, 8, 8])
  torch::Tensor forward(const torch::Tensor& images);

  GRAPHED(images: f32[batch_size, 1, 8, 8], labels: i64[batch_size])
  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& labels);

 private:
  torch::nn::Sequential layers_;
};
TORCH_MODULE(Net);

}  // namespace digits
