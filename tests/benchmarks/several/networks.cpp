// SPDX-License-Identifier: Apache-2.0
#include "networks.h"

#include <torch/torch.h>

namespace several {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

class ResidualImpl : public nn::Module {
 public:
  explicit ResidualImpl(int64_t width) : first_(width, width), second_(width, width) {
    register_module("first", first_);
    register_module("second", second_);
  }
  Tensor forward(const Tensor& x) { return x + second_(torch::relu(first_(x))); }

 private:
  nn::Linear first_, second_;
};
TORCH_MODULE(Residual);

constexpr int64_t length = 32, size_of_a_head = 64;

class EncoderLayerImpl : public nn::Module {
 public:
  explicit EncoderLayerImpl(int64_t width)
      : in_(width, 3 * width),
        out_(width, width),
        wider_(width, 4 * width),
        narrower_(4 * width, width),
        norm1_(nn::LayerNormOptions({width})),
        norm2_(nn::LayerNormOptions({width})) {
    register_module("in", in_);
    register_module("out", out_);
    register_module("wider", wider_);
    register_module("narrower", narrower_);
    register_module("norm1", norm1_);
    register_module("norm2", norm2_);
  }
  Tensor forward(const Tensor& x) {
    const Tensor attended = x + out_(attend(norm1_(x)));
    return attended + narrower_(torch::gelu(wider_(norm2_(attended))));
  }

 private:
  Tensor attend(const Tensor& x) {
    const auto parts = in_(x).view({-1, length, 3, x.size(1) / size_of_a_head, size_of_a_head}).permute({2, 0, 3, 1, 4}).unbind();
    return torch::scaled_dot_product_attention(parts[0], parts[1], parts[2]).transpose(1, 2).reshape(x.sizes());
  }

  nn::Linear in_, out_, wider_, narrower_;
  nn::LayerNorm norm1_, norm2_;
};
TORCH_MODULE(EncoderLayer);

}  // namespace

Network make_network(const std::string& name, torch::Device device) {
  Network made;
  const auto layers = [&](int on_gpus) { return device.is_cuda() ? on_gpus : 1; };
  if (name == "wide") {
    made.rows = 256, made.width = 2048;
    for (int layer = 0; layer < layers(6); ++layer) {
      made.layers->push_back(nn::Linear(made.width, made.width));
      made.layers->push_back(nn::ReLU());
    }
  } else if (name == "deep") {
    made.rows = 64, made.width = 512;
    for (int block = 0; block < layers(48); ++block) {
      made.layers->push_back(Residual(made.width));
    }
  } else {
    TORCH_CHECK(name == "encoder", "no network '", name, "'");
    made.rows = 8 * length, made.width = 512;
    for (int layer = 0; layer < layers(8); ++layer) {
      made.layers->push_back(EncoderLayer(made.width));
    }
  }
  made.layers->to(device);
  return made;
}

}  // namespace several
