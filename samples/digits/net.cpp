// SPDX-License-Identifier: Apache-2.0
#include "net.h"

namespace digits {

namespace nn = torch::nn;

NetImpl::NetImpl()
    : layers_(nn::Conv2d(nn::Conv2dOptions(1, 32, 3).padding(1).bias(false)), nn::BatchNorm2d(32), nn::ReLU(),
              nn::Conv2d(nn::Conv2dOptions(32, 64, 3).stride(2).padding(1).bias(false)), nn::BatchNorm2d(64), nn::ReLU(), nn::Flatten(),
              nn::Dropout(0.25), nn::Linear(64 * 4 * 4, 64), nn::ReLU(), nn::Linear(64, 10)) {
  register_module("layers", layers_);
}

torch::Tensor NetImpl::forward(const torch::Tensor& images) { return layers_->forward(images); }

torch::Tensor NetImpl::loss(const torch::Tensor& images, const torch::Tensor& labels) {
  return nn::functional::cross_entropy(forward(images), labels);
}

}  // namespace digits
