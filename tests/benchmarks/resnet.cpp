// SPDX-License-Identifier: Apache-2.0
#include "resnet.h"

namespace benchmarks {

namespace nn = torch::nn;
using torch::Tensor;

namespace {

nn::Conv2d convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

}  // namespace

BasicBlockImpl::BasicBlockImpl(int64_t in, int64_t out, int64_t stride)
    : conv1_(convolution(in, out, 3, stride)), conv2_(convolution(out, out, 3, 1)), norm1_(out), norm2_(out) {
  register_module("conv1", conv1_);
  register_module("norm1", norm1_);
  register_module("conv2", conv2_);
  register_module("norm2", norm2_);
  if (stride != 1 || in != out) {
    shortcut_->push_back(convolution(in, out, 1, stride));
    shortcut_->push_back(nn::BatchNorm2d(out));
  }
  register_module("shortcut", shortcut_);
}

Tensor BasicBlockImpl::forward(const Tensor& x) {
  const Tensor y = norm2_(conv2_(norm1_(conv1_(x)).relu_()));
  return (y + (shortcut_->is_empty() ? x : shortcut_->forward(x))).relu_();
}

ResNet18Impl::ResNet18Impl() : stem_(convolution(3, 64, 7, 2)), norm_(64), head_(512, 1000) {
  register_module("stem", stem_);
  register_module("norm", norm_);
  int64_t in = 64;
  for (const int64_t out : {64, 128, 256, 512}) {
    blocks_->push_back(BasicBlock(in, out, in == out ? 1 : 2));
    blocks_->push_back(BasicBlock(out, out, 1));
    in = out;
  }
  register_module("blocks", blocks_);
  register_module("head", head_);
}

Tensor ResNet18Impl::forward(const Tensor& images) {
  const Tensor x = torch::max_pool2d(norm_(stem_(images)).relu_(), 3, 2, 1);
  return head_(blocks_->forward(x).mean({2, 3}));
}

}  // namespace benchmarks
