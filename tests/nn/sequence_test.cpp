// SPDX-License-Identifier: Apache-2.0
//
// torch/nn/modules/rnn.h and embedding.h.
#include "walk.h"

namespace sequence_test {

using namespace graphed;
using namespace graphed::testing;
namespace nn = torch::nn;

GRAPHED_MODULE_TEST_SUITE(Recurrent);

/// cuDNN computes no backward in eval mode.
expected layers_on(c10::Device device) {
  return device.is_cpu() ? expected{} : expected{/*gradients=*/true, /*exact_sums=*/false, /*graphed=*/1, /*in_eval_mode=*/false};
}

TEST_P(Recurrent, RNN) {
  walk(device(), [] { return calling(nn::RNN(nn::RNNOptions(4, 5).nonlinearity(torch::kReLU))); }, {real({3, 2, 4})}, layers_on(device()));
}
TEST_P(Recurrent, RNN_WithInitialState) {
  walk(device(), [] { return calling<2>(nn::RNN(nn::RNNOptions(4, 5))); }, {real({3, 2, 4}), real({1, 2, 5})}, layers_on(device()));
}
TEST_P(Recurrent, LSTM) {
  walk(device(), [] { return calling(nn::LSTM(nn::LSTMOptions(4, 5))); }, {real({3, 2, 4})}, layers_on(device()));
}
TEST_P(Recurrent, LSTM_BidirectionalInTwoLayers) {
  walk(
      device(), [] { return calling(nn::LSTM(nn::LSTMOptions(4, 5).num_layers(2).bidirectional(true).batch_first(true))); },
      {real({2, 3, 4})}, layers_on(device()));
}
TEST_P(Recurrent, LSTM_Projected) {
  walk(device(), [] { return calling(nn::LSTM(nn::LSTMOptions(4, 5).proj_size(3))); }, {real({3, 2, 4})}, layers_on(device()));
}
TEST_P(Recurrent, LSTM_WithInitialState) {
  const auto make = []() -> called_module {
    nn::LSTM lstm(nn::LSTMOptions(4, 5));
    return {lstm.ptr(), [lstm](tensor_list& in) mutable { return flat(lstm->forward(in[0], std::make_tuple(in[1], in[2]))); }};
  };
  walk(device(), make, {real({3, 2, 4}), real({1, 2, 5}), real({1, 2, 5})}, layers_on(device()));
}
TEST_P(Recurrent, LSTM_WithDropout) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "cuDNN keeps the state of its dropout from run to run: eager differs from eager";
  }
  walk(
      device(), [] { return calling(nn::LSTM(nn::LSTMOptions(4, 5).num_layers(2).dropout(0.5))); }, {real({3, 2, 4})}, layers_on(device()));
}
TEST_P(Recurrent, GRU) {
  walk(device(), [] { return calling(nn::GRU(nn::GRUOptions(4, 5).bias(false))); }, {real({3, 2, 4})}, layers_on(device()));
}
TEST_P(Recurrent, GRU_Bidirectional) {
  walk(device(), [] { return calling(nn::GRU(nn::GRUOptions(4, 5).bidirectional(true))); }, {real({3, 2, 4})}, layers_on(device()));
}

TEST_P(Recurrent, RNNCell) {
  walk(device(), [] { return calling<2>(nn::RNNCell(4, 5)); }, {real({3, 4}), real({3, 5})});
}
TEST_P(Recurrent, LSTMCell) {
  const auto make = []() -> called_module {
    nn::LSTMCell cell(4, 5);
    return {cell.ptr(), [cell](tensor_list& in) mutable { return flat(cell->forward(in[0], std::make_tuple(in[1], in[2]))); }};
  };
  walk(device(), make, {real({3, 4}), real({3, 5}), real({3, 5})});
}
TEST_P(Recurrent, GRUCell) {
  walk(device(), [] { return calling<2>(nn::GRUCell(4, 5)); }, {real({3, 4}), real({3, 5})});
}

/// Sequences of fixed lengths 3, 2 and 1: what was packed outside is `data`, how many of its rows belong to each step is not an argument.
template <class Recurrent>
called_module packed(Recurrent module) {
  const at::Tensor rows = torch::tensor(std::vector<int64_t>{3, 2, 1});
  return {module.ptr(), [module, rows](tensor_list& in) mutable {
            const auto [result, state] = module->forward_with_packed_input(nn::utils::rnn::PackedSequence(in[0], rows));
            tensor_list all{result.data()};
            append(all, state);
            return all;
          }};
}
// They read the size of the first step on the host, where the sizes are.
std::vector<std::string> packed_refusal(c10::Device device) {
  return device.is_cpu() ? std::vector<std::string>{"capture failed", "aten::_local_scalar_dense (", "keep the value in a tensor"}
                         : std::vector<std::string>{"capture failed", "aten::select.int reads a tensor in host memory"};
}

TEST_P(Recurrent, RNN_OnPackedSequences) {
  expect_refused(device(), [] { return packed(nn::RNN(nn::RNNOptions(4, 5))); }, {real({6, 4})}, packed_refusal(device()));
}
TEST_P(Recurrent, LSTM_OnPackedSequences) {
  expect_refused(
      device(), [] { return packed(nn::LSTM(nn::LSTMOptions(4, 5).bidirectional(true))); }, {real({6, 4})}, packed_refusal(device()));
}
TEST_P(Recurrent, GRU_OnPackedSequences) {
  expect_refused(device(), [] { return packed(nn::GRU(nn::GRUOptions(4, 5))); }, {real({6, 4})}, packed_refusal(device()));
}

GRAPHED_MODULE_TEST_SUITE(Embeddings);

TEST_P(Embeddings, Embedding) {
  walk(device(), [] { return calling(nn::Embedding(nn::EmbeddingOptions(10, 4).padding_idx(0).scale_grad_by_freq(true))); },
       {index({3, 5}, 0, 10)});
}
// A sparse gradient has as many rows as the indices say: the forward is a graph, the backward is eager's.
TEST_P(Embeddings, Embedding_WithSparseGradient) {
  walk(
      device(), [] { return calling(nn::Embedding(nn::EmbeddingOptions(10, 4).sparse(true))); }, {index({3, 5}, 0, 10)},
      without_graphed_backward);
}
TEST_P(Embeddings, Embedding_WithMaxNorm) {
  walk(device(), [] { return calling(nn::Embedding(nn::EmbeddingOptions(10, 4).max_norm(1.0))); }, {index({3, 5}, 0, 10)});
}

TEST_P(Embeddings, EmbeddingBag) {
  walk(
      device(), [] { return calling(nn::EmbeddingBag(nn::EmbeddingBagOptions(10, 4).mode(torch::kMean))); }, {index({3, 4}, 0, 10)},
      with_exact_sums);
}
TEST_P(Embeddings, EmbeddingBag_Max) {
  walk(
      device(), [] { return calling(nn::EmbeddingBag(nn::EmbeddingBagOptions(10, 4).mode(torch::kMax))); }, {index({3, 4}, 0, 10)},
      with_exact_sums);
}
TEST_P(Embeddings, EmbeddingBag_WithOffsets) {
  const auto make = []() -> called_module {
    nn::EmbeddingBag bag(nn::EmbeddingBagOptions(10, 4).mode(torch::kSum));
    return {bag.ptr(), [bag](tensor_list& in) mutable { return flat(bag->forward(in[0], in[1].cumsum(0) - in[1])); }};
  };
  walk(device(), make, {index({12}, 0, 10), index({3}, 1, 5)}, with_exact_sums);
}
TEST_P(Embeddings, EmbeddingBag_WithWeights) {
  const auto make = []() -> called_module {
    nn::EmbeddingBag bag(nn::EmbeddingBagOptions(10, 4).mode(torch::kSum));
    return {bag.ptr(), [bag](tensor_list& in) mutable { return flat(bag->forward(in[0], {}, in[1])); }};
  };
  walk(device(), make, {index({3, 4}, 0, 10), whole({3, 4})}, with_exact_sums);
}

}  // namespace sequence_test
