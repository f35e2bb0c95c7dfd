// SPDX-License-Identifier: Apache-2.0
#include "training.graphed.h"
#include "workload.h"

#include <cmath>
#include <memory>
#include <utility>

namespace benchmarks {

namespace nn = torch::nn;

DigitPerceptronImpl::DigitPerceptronImpl() : layer1_(784, 512), layer2_(512, 512), layer3_(512, 10) {
  register_module("layer1", layer1_);
  register_module("layer2", layer2_);
  register_module("layer3", layer3_);
}

Tensor DigitPerceptronImpl::forward(const Tensor& images) { return layer3_(layer2_(layer1_(images).relu()).relu()); }

namespace {

constexpr int64_t width = 512, heads = 8, feedforward = 2048;
constexpr double dropout = 0.1;

}  // namespace

EncoderLayerImpl::EncoderLayerImpl()
    : out_(width, width),
      linear1_(width, feedforward),
      linear2_(feedforward, width),
      norm1_(nn::LayerNormOptions({width})),
      norm2_(nn::LayerNormOptions({width})) {
  in_weight_ = register_parameter("in_weight", nn::init::xavier_uniform_(torch::empty({3 * width, width})));
  in_bias_ = register_parameter("in_bias", torch::zeros({3 * width}));
  register_module("out", out_);
  register_module("linear1", linear1_);
  register_module("linear2", linear2_);
  register_module("norm1", norm1_);
  register_module("norm2", norm2_);
}

Tensor EncoderLayerImpl::attend(const Tensor& x) {
  const int64_t length = x.size(0), batch = x.size(1);
  const auto parts = torch::linear(x, in_weight_, in_bias_).view({length, batch * heads, 3 * width / heads}).transpose(0, 1).chunk(3, -1);
  const Tensor scores = torch::bmm(parts[0] * std::sqrt(static_cast<double>(heads) / width), parts[1].transpose(1, 2));
  const Tensor weights = torch::dropout(scores.softmax(-1), dropout, is_training());
  return out_(torch::bmm(weights, parts[2]).transpose(0, 1).reshape({length, batch, width}));
}

Tensor EncoderLayerImpl::forward(const Tensor& source) {
  const auto dropped = [this](const Tensor& x) { return torch::dropout(x, dropout, is_training()); };
  const Tensor attended = norm1_(source + dropped(attend(source)));
  return norm2_(attended + dropped(linear2_(dropped(linear1_(attended).relu()))));
}

EncoderImpl::EncoderImpl(int64_t layers) {
  for (int64_t i = 0; i < layers; ++i) {
    layers_->push_back(EncoderLayer());
  }
  register_module("layers", layers_);
}

Tensor EncoderImpl::forward(const Tensor& source) {
  Tensor x = source;
  for (const auto& layer : *layers_) {
    x = layer->as<EncoderLayer>()->forward(x);
  }
  return x;
}

RecurrentImpl::RecurrentImpl() : cell_(128, 128) { register_module("cell", cell_); }

Tensor RecurrentImpl::forward(const Tensor& sequence) {
  Tensor state = sequence.new_zeros({sequence.size(1), sequence.size(2)});
  for (const Tensor& x : sequence.unbind()) {
    state = cell_(x, state);
  }
  return state;
}

namespace {

template <class Holder>
workload training_of(const Holder& net, at::IntArrayRef input, at::IntArrayRef result, c10::Device device) {
  using Module = typename Holder::ContainedType;
  net.ptr()->to(device);
  const auto fast = std::make_shared<graphed::callable<&Module::forward>>(net);
  return {draw_batches([&] { return batch{{at::randn(input, device)}, at::randn(result, device)}; }),
          {[net](const tensor_list& in) { return net.ptr()->forward(in[0]); }},
          {[net, fast](const tensor_list& in) { return (*fast)(in[0]); }},
          [fast] { return fast->stats(); },
          state_of(net)};
}

entry training_of(const char* name, std::function<workload(c10::Device)> make, bool small = true) {
  return {name, unit::training, small, /*further=*/{}, [make = std::move(make)](c10::Device device, optimizers) { return make(device); }};
}

workload encoder_of(int64_t layers, c10::Device device) { return training_of(Encoder(layers), {128, 8, width}, {128, 8, width}, device); }

}  // namespace

std::vector<entry> training_workloads() {
  return {
      training_of("mlp-training", [](c10::Device device) { return training_of(DigitPerceptron(), {64, 784}, {64, 10}, device); }),
      training_of("gru-20", [](c10::Device device) { return training_of(Recurrent(), {20, 32, 128}, {32, 128}, device); }),
      training_of(
          "transformer-1", [](c10::Device device) { return encoder_of(1, device); }, /*small=*/false),
      training_of(
          "transformer-6", [](c10::Device device) { return encoder_of(6, device); }, /*small=*/false),
  };
}

}  // namespace benchmarks
