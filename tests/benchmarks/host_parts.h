// SPDX-License-Identifier: Apache-2.0
//
// Callables with host code in the middle, which are captured in pieces.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn.h>

#include <cstdint>
#include <vector>

namespace benchmarks {

constexpr int64_t words = 256, width = 128, context_length = 64;

/// A token of a decoder with four blocks of attention over a context: the host draws the token, and its embedding is returned.
class DecoderImpl : public torch::nn::Module {
 public:
  DecoderImpl();

  GRAPHED(token: i64[1], context: f32[context_length, width])
  torch::Tensor next(const torch::Tensor& token, const torch::Tensor& context);

 private:
  struct Block {
    torch::nn::Linear query, key, value, out, up, down;
    torch::nn::LayerNorm before_attention, before_layers;
  };
  torch::Tensor attended(const Block& block, const torch::Tensor& x, const torch::Tensor& context) const;

  torch::nn::Embedding words_;
  torch::nn::Linear head_;
  std::vector<Block> blocks_;
};
TORCH_MODULE(Decoder);

/// A step of the Bogacki-Shampine method (https://doi.org/10.1016/0893-9659(89)90079-7) for a neural ODE: the host reads its error.
class OdeStepImpl : public torch::nn::Module {
 public:
  OdeStepImpl();

  GRAPHED(y: f32[64])
  torch::Tensor advance(const torch::Tensor& y);

 private:
  torch::Tensor slope(const torch::Tensor& y);

  torch::nn::Linear first_, second_;
};
TORCH_MODULE(OdeStep);

}  // namespace benchmarks
