// SPDX-License-Identifier: Apache-2.0
#include "host_parts.graphed.h"
#include "workload.h"

#include <graphed/host.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace benchmarks {

DecoderImpl::DecoderImpl() : words_(words, width), head_(width, words) {
  register_module("words", words_);
  register_module("head", head_);
  for (int i = 0; i < 4; ++i) {
    using torch::nn::LayerNorm;
    using torch::nn::LayerNormOptions;
    using torch::nn::Linear;
    blocks_.push_back({Linear(width, width), Linear(width, width), Linear(width, width), Linear(width, width), Linear(width, 4 * width),
                       Linear(4 * width, width), LayerNorm(LayerNormOptions({width})), LayerNorm(LayerNormOptions({width}))});
    const auto add = [&](const char* name, const auto& module) { register_module(name + std::to_string(i), module); };
    const Block& block = blocks_.back();
    add("query", block.query);
    add("key", block.key);
    add("value", block.value);
    add("out", block.out);
    add("up", block.up);
    add("down", block.down);
    add("before_attention", block.before_attention);
    add("before_layers", block.before_layers);
  }
}

Tensor DecoderImpl::attended(const Block& block, const Tensor& x, const Tensor& context) const {
  auto its = block;  // holders: modules have no const forward
  const Tensor normal = its.before_attention(x);
  const Tensor scores = its.query(normal).mm(its.key(context).t()) / std::sqrt(static_cast<double>(width));
  const Tensor y = x + its.out(scores.softmax(-1).mm(its.value(context)));
  return y + its.down(torch::gelu(its.up(its.before_layers(y))));
}

Tensor DecoderImpl::next(const Tensor& token, const Tensor& context) {
  Tensor x = words_(token);
  for (const Block& block : blocks_) {
    x = attended(block, x, context);
  }
  const Tensor probabilities = head_(x).softmax(-1);
  const Tensor drawn =
      graphed::host([probabilities] { return at::multinomial(probabilities.cpu(), 1).flatten().to(probabilities.device()); });
  return words_(drawn);
}

OdeStepImpl::OdeStepImpl() : first_(64, 128), second_(128, 64) {
  register_module("first", first_);
  register_module("second", second_);
}

Tensor OdeStepImpl::slope(const Tensor& y) { return second_(first_(y).tanh()); }

Tensor OdeStepImpl::advance(const Tensor& y) {
  constexpr double length = 0.1, tolerance = 1e-3;
  const Tensor k1 = slope(y), k2 = slope(y + k1 * (length / 2)), k3 = slope(y + k2 * (length * 3 / 4));
  const Tensor third = y + (k1 * 2 + k2 * 3 + k3 * 4) * (length / 9);
  const Tensor k4 = slope(third);
  const Tensor second = y + (k1 * 7 + k2 * 6 + k3 * 8 + k4 * 3) * (length / 24);
  const Tensor error = (third - second).abs().max();
  const graphed::Scalar part =
      graphed::host([error] { return std::min(1.0, 0.9 * std::cbrt(tolerance / std::max(error.item<double>(), 1e-12))); });
  return y + (third - y) * part.like(y);
}

namespace {

workload decoder(c10::Device device, optimizers) {
  const Decoder net;
  net.ptr()->to(device);
  const auto fast = std::make_shared<graphed::callable<&DecoderImpl::next>>(net);
  const auto draw = [&] {
    return batch{{at::randint(words, {1}, at::TensorOptions(at::kLong).device(device)), at::randn({context_length, width}, device)}};
  };
  return {draw_batches(draw),
          {[net](const tensor_list& in) { return net.ptr()->next(in[0], in[1]); }},
          {[net, fast](const tensor_list& in) { return (*fast)(in[0], in[1]); }},
          [fast] { return fast->stats(); },
          state_of(net)};
}

workload ode_step(c10::Device device, optimizers) {
  const OdeStep net;
  net.ptr()->to(device);
  const auto fast = std::make_shared<graphed::callable<&OdeStepImpl::advance>>(net);
  return {draw_batches([&] { return batch{{at::randn({64}, device)}}; }),
          {[net](const tensor_list& in) { return net.ptr()->advance(in[0]); }},
          {[net, fast](const tensor_list& in) { return (*fast)(in[0]); }},
          [fast] { return fast->stats(); },
          state_of(net)};
}

}  // namespace

std::vector<entry> host_part_workloads() {
  return {{"decode-host", unit::inference, /*small=*/true, /*further=*/{}, decoder, /*is_beyond_a_graph=*/true},
          {"ode-host", unit::inference, /*small=*/true, /*further=*/{}, ode_step, /*is_beyond_a_graph=*/true}};
}

}  // namespace benchmarks
