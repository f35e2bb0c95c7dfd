// SPDX-License-Identifier: Apache-2.0
//
// Attention and a transformer's encoder layer that a graph can hold, with the parameters of LibTorch's own, and a network made of them.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn.h>

#include <cstdint>
#include <vector>

namespace attention {

/// torch::nn::MultiheadAttention without its comparison of query, key and value on the host: keys and values that are the query's own
/// tensor are projected together with it, and all others by themselves. Same parameters and names; one size for query, key and value.
class MultiheadAttentionImpl : public torch::nn::Module {
 public:
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads, double dropout);

  /// query: [target length, batch, embed_dim]; key, value: [source length, batch, embed_dim]; mask: undefined, or [target length, source
  /// length], added to the scores. Returns [target length, batch, embed_dim].
  torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value, const torch::Tensor& mask = {});

 private:
  std::vector<torch::Tensor> project(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) const;

  const int64_t num_heads_;
  const double dropout_;
  torch::Tensor in_proj_weight_, in_proj_bias_;
  torch::nn::Linear out_proj_;
};
TORCH_MODULE(MultiheadAttention);

/// torch::nn::TransformerEncoderLayer with that attention: same parameters and names, ReLU, normalisation after each block.
class EncoderLayerImpl : public torch::nn::Module {
 public:
  EncoderLayerImpl(int64_t d_model, int64_t nhead, int64_t dim_feedforward, double dropout);

  /// source: [length, batch, d_model]; mask as above. Returns the shape of `source`.
  torch::Tensor forward(const torch::Tensor& source, const torch::Tensor& mask = {});

 private:
  MultiheadAttention self_attn_;
  torch::nn::Linear linear1_, linear2_;
  torch::nn::LayerNorm norm1_, norm2_;
  torch::nn::Dropout dropout_, dropout1_, dropout2_;
};
TORCH_MODULE(EncoderLayer);

constexpr int64_t batch_size = 64;
constexpr int64_t held_out_sequences = 256;
constexpr int64_t length = 12;
constexpr int64_t vocabulary = 10;

/// Says for each place of a sequence of tokens which token stands there; main.cpp asks for the sequence backwards.
class NetImpl : public torch::nn::Module {
 public:
  NetImpl();

  /// Scores: f32[batch * length, vocabulary].
  GRAPHED(tokens: i64[held_out_sequences, length])
  torch::Tensor forward(const torch::Tensor& tokens);

  GRAPHED(tokens: i64[batch_size, length], wanted: i64[batch_size, length])
  torch::Tensor loss(const torch::Tensor& tokens, const torch::Tensor& wanted);

 private:
  torch::nn::Embedding tokens_;
  torch::Tensor places_;
  torch::nn::ModuleList layers_;
  torch::nn::Linear head_;
};
TORCH_MODULE(Net);

}  // namespace attention
