// SPDX-License-Identifier: Apache-2.0
#include "encoder.h"

#include <cmath>

namespace attention {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;

MultiheadAttentionImpl::MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads, double dropout)
    : num_heads_(num_heads), dropout_(dropout), out_proj_(embed_dim, embed_dim) {
  TORCH_CHECK(embed_dim % num_heads == 0, "embed_dim ", embed_dim, " is no multiple of num_heads ", num_heads);
  in_proj_weight_ = register_parameter("in_proj_weight", torch::empty({3 * embed_dim, embed_dim}));
  in_proj_bias_ = register_parameter("in_proj_bias", torch::zeros({3 * embed_dim}));
  register_module("out_proj", out_proj_);
  nn::init::xavier_uniform_(in_proj_weight_);
  nn::init::constant_(out_proj_->bias, 0);
}

std::vector<Tensor> MultiheadAttentionImpl::project(const Tensor& query, const Tensor& key, const Tensor& value) const {
  if (query.is_same(key) && key.is_same(value)) {  // a question about C++ objects: no value is read
    return F::linear(query, in_proj_weight_, in_proj_bias_).chunk(3, -1);
  }
  const auto weights = in_proj_weight_.chunk(3);
  const auto biases = in_proj_bias_.chunk(3);
  return {F::linear(query, weights[0], biases[0]), F::linear(key, weights[1], biases[1]), F::linear(value, weights[2], biases[2])};
}

Tensor MultiheadAttentionImpl::forward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  const int64_t target_length = query.size(0), batch = query.size(1), embed_dim = query.size(2);
  const int64_t head_dim = embed_dim / num_heads_;
  const auto heads_first = [&](const Tensor& x) { return x.contiguous().view({x.size(0), batch * num_heads_, head_dim}).transpose(0, 1); };
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

EncoderLayerImpl::EncoderLayerImpl(int64_t d_model, int64_t nhead, int64_t dim_feedforward, double dropout)
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

Tensor EncoderLayerImpl::forward(const Tensor& source, const Tensor& mask) {
  const Tensor attended = norm1_(source + dropout1_(self_attn_(source, source, source, mask)));
  return norm2_(attended + dropout2_(linear2_(dropout_(linear1_(attended).relu()))));
}

namespace {

constexpr int64_t width = 32, heads = 4, feedforward = 64, depth = 2;

}  // namespace

NetImpl::NetImpl() : tokens_(vocabulary, width), head_(width, vocabulary) {
  register_module("tokens", tokens_);
  places_ = register_parameter("places", torch::randn({length, 1, width}));
  for (int64_t i = 0; i < depth; ++i) {
    layers_->push_back(EncoderLayer(width, heads, feedforward, /*dropout=*/0.05));
  }
  register_module("layers", layers_);
  register_module("head", head_);
}

Tensor NetImpl::forward(const Tensor& tokens) {
  Tensor x = tokens_(tokens.t()) + places_;
  for (const auto& layer : *layers_) {
    x = layer->as<EncoderLayer>()->forward(x);
  }
  return head_(x.transpose(0, 1)).flatten(0, 1);
}

Tensor NetImpl::loss(const Tensor& tokens, const Tensor& wanted) { return F::cross_entropy(forward(tokens), wanted.flatten()); }

}  // namespace attention
