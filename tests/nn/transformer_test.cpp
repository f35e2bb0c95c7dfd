// SPDX-License-Identifier: Apache-2.0
//
// MultiheadAttention, and torch/nn/modules/transformer*.h above it: they compare query, key and value on the host.
#include "walk.h"

namespace transformer_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(Transformers);

const std::vector<std::string> refusal{"capture failed", "aten::equal", "torch::nn::MultiheadAttention", "samples/attention"};

// Where they are one tensor, CUDA's comparison does not look at values, and nothing is read on the host.
void expect_refused_on_a_cpu(c10::Device device, const module_maker& make, const std::vector<sample>& samples) {
  if (device.is_cpu()) {
    expect_refused(device, make, samples, refusal);
  } else {
    walk(device, make, samples);
  }
}

TEST_P(Transformers, MultiheadAttention) {
  const auto make = [] { return calling<3>(nn::MultiheadAttention(8, 2)); };
  expect_refused(device(), make, {real({5, 3, 8}), real({4, 3, 8}), real({4, 3, 8})}, refusal);
}
TEST_P(Transformers, MultiheadAttention_OfOneTensor) {
  const auto make = []() -> called_module {
    nn::MultiheadAttention attention(8, 2);
    return {attention.ptr(), [attention](tensor_list& in) mutable { return flat(attention->forward(in[0], in[0], in[0])); }};
  };
  expect_refused_on_a_cpu(device(), make, {real({5, 3, 8})});
}
// With a size of their own, keys and values have their own projections: nothing is compared.
TEST_P(Transformers, MultiheadAttention_WithProjectionsOfTheirOwn) {
  const auto make = [] { return calling<3>(nn::MultiheadAttention(nn::MultiheadAttentionOptions(8, 2).kdim(6).vdim(6).dropout(0.2))); };
  walk(device(), make, {real({5, 3, 8}), real({4, 3, 6}), real({4, 3, 6})});
}

TEST_P(Transformers, TransformerEncoderLayer) {
  const auto make = [] { return calling(nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16))); };
  expect_refused_on_a_cpu(device(), make, {real({5, 3, 8})});
}
TEST_P(Transformers, TransformerDecoderLayer) {
  const auto make = [] { return calling<2>(nn::TransformerDecoderLayer(nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(16))); };
  expect_refused_on_a_cpu(device(), make, {real({5, 3, 8}), real({4, 3, 8})});
}
TEST_P(Transformers, TransformerEncoder) {
  const auto make = [] {
    const nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16));
    return calling(nn::TransformerEncoder(nn::TransformerEncoderOptions(layer, 2)));
  };
  expect_refused_on_a_cpu(device(), make, {real({5, 3, 8})});
}
TEST_P(Transformers, TransformerDecoder) {
  const auto make = [] {
    const nn::TransformerDecoderLayer layer(nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(16));
    return calling<2>(nn::TransformerDecoder(nn::TransformerDecoderOptions(layer, 2)));
  };
  expect_refused_on_a_cpu(device(), make, {real({5, 3, 8}), real({4, 3, 8})});
}
TEST_P(Transformers, Transformer) {
  const auto make = [] {
    return calling<2>(
        nn::Transformer(nn::TransformerOptions().d_model(8).nhead(2).num_encoder_layers(1).num_decoder_layers(1).dim_feedforward(16)));
  };
  expect_refused_on_a_cpu(device(), make, {real({5, 3, 8}), real({4, 3, 8})});
}

}  // namespace transformer_test
