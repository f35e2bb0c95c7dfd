// SPDX-License-Identifier: Apache-2.0
//
// Attention and a transformer's encoder layer that a graph can hold, with the parameters of LibTorch's own.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace attention {

namespace nn = torch::nn;
using torch::Tensor;

/// torch::nn::MultiheadAttention without its comparison of query, key and value on the host: keys and values that are the query's own
/// tensor are projected with it, all others by themselves. Same parameters and names; one size for query, key and value.
class MultiheadAttentionImpl : public nn::Module {
 public:
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads, double dropout)
      : num_heads_(num_heads), dropout_(dropout), out_proj_(embed_dim, embed_dim) {
    TORCH_CHECK(embed_dim % num_heads == 0, "embed_dim ", embed_dim, " is no multiple of num_heads ", num_heads);
    in_proj_weight_ = register_parameter("in_proj_weight", torch::empty({3 * embed_dim, embed_dim}));
    in_proj_bias_ = register_parameter("in_proj_bias", torch::zeros({3 * embed_dim}));
    register_module("out_proj", out_proj_);
    nn::init::xavier_uniform_(in_proj_weight_);
    nn::init::constant_(out_proj_->bias, 0);
  }

  /// query: [target length, batch, embed_dim]; key, value: [source length, batch, embed_dim]; mask: undefined, or [target length, source
  /// length], added to the scores. Returns [target length, batch, embed_dim].
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask = {}) {
    const int64_t target_length = query.size(0), batch = query.size(1), embed_dim = query.size(2);
    const int64_t head_dim = embed_dim / num_heads_;
    const auto heads_first = [&](const Tensor& x) {
      return x.contiguous().view({x.size(0), batch * num_heads_, head_dim}).transpose(0, 1);
    };
    const auto projected = project(query, key, value);
    const Tensor q = heads_first(projected[0] * (1 / std::sqrt(head_dim)));
    const Tensor k = heads_first(projected[1]), v = heads_first(projected[2]);

    Tensor scores = torch::bmm(q, k.transpose(1, 2));
    if (mask.defined()) {
      scores = scores + mask;
    }
    const Tensor weights = torch::dropout(scores.softmax(-1), dropout_, is_training());
    const Tensor attended = torch::bmm(weights, v).transpose(0, 1).contiguous().view({target_length, batch, embed_dim});
    return out_proj_(attended);
  }

 private:
  std::vector<Tensor> project(const Tensor& query, const Tensor& key, const Tensor& value) const {
    if (query.is_same(key) && key.is_same(value)) {  // a question about C++ objects: no value is read
      return nn::functional::linear(query, in_proj_weight_, in_proj_bias_).chunk(3, -1);
    }
    const auto weights = in_proj_weight_.chunk(3);
    const auto biases = in_proj_bias_.chunk(3);
    return {nn::functional::linear(query, weights[0], biases[0]), nn::functional::linear(key, weights[1], biases[1]),
            nn::functional::linear(value, weights[2], biases[2])};
  }

  const int64_t num_heads_;
  const double dropout_;
  Tensor in_proj_weight_, in_proj_bias_;
  nn::Linear out_proj_;
};
TORCH_MODULE(MultiheadAttention);

/// torch::nn::TransformerEncoderLayer with that attention: same parameters and names, ReLU, normalisation after each block.
class EncoderLayerImpl : public nn::Module {
 public:
  EncoderLayerImpl(int64_t d_model, int64_t nhead, int64_t dim_feedforward, double dropout)
      : self_attn_(d_model, nhead, dropout),
        linear1_(d_model, dim_feedforward),
        linear2_(dim_feedforward, d_model),
        norm1_(nn::LayerNormOptions({d_model})),
        norm2_(nn::LayerNormOptions({d_model})),
        dropout_(dropout),
        dropout1_(dropout),
        dropout2_(dropout) {
    register_module("self_attn", self_attn_);
    register_module("linear1", linear1_);
    register_module("dropout", dropout_);
    register_module("linear2", linear2_);
    register_module("norm1", norm1_);
    register_module("norm2", norm2_);
    register_module("dropout1", dropout1_);
    register_module("dropout2", dropout2_);
  }

  /// source: [length, batch, d_model]; mask as above. Returns the shape of `source`.
  Tensor forward(const Tensor& source, const Tensor& mask = {}) {
    const Tensor attended = norm1_(source + dropout1_(self_attn_(source, source, source, mask)));
    return norm2_(attended + dropout2_(linear2_(dropout_(linear1_(attended).relu()))));
  }

 private:
  MultiheadAttention self_attn_;
  nn::Linear linear1_, linear2_;
  nn::LayerNorm norm1_, norm2_;
  nn::Dropout dropout_, dropout1_, dropout2_;
};
TORCH_MODULE(EncoderLayer);

}  // namespace attention
