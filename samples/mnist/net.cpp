// SPDX-License-Identifier: Apache-2.0
#include "net.h"

namespace mnist {

namespace nn = torch::nn;

NetImpl::NetImpl()
    : conv1_(nn::Conv2dOptions(1, 10, /*kernel_size=*/5)),
      conv2_(nn::Conv2dOptions(10, 20, /*kernel_size=*/5)),
      fc1_(320, 50),
      fc2_(50, 10) {
  register_module("conv1", conv1_);
  register_module("conv2", conv2_);
  register_module("channel_dropout", channel_dropout_);
  register_module("fc1", fc1_);
  register_module("dropout", dropout_);
  register_module("fc2", fc2_);
}

torch::Tensor NetImpl::forward(const torch::Tensor& images) {
  torch::Tensor x = torch::relu(torch::max_pool2d(conv1_(images), 2));                          // [n, 10, 12, 12]
  x = torch::relu(torch::max_pool2d(channel_dropout_(conv2_(x)), 2)).flatten(/*start_dim=*/1);  // [n, 320]
  x = dropout_(torch::relu(fc1_(x)));
  return torch::log_softmax(fc2_(x), /*dim=*/1);
}

}  // namespace mnist
