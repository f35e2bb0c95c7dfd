// SPDX-License-Identifier: Apache-2.0
//
// What is called with autograd, and gone back through.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn.h>

#include <cstdint>

namespace benchmarks {

/// 784-512-512-10: the perceptron of PyTorch's quickstart (https://docs.pytorch.org/tutorials/beginner/basics/quickstart_tutorial.html).
class DigitPerceptronImpl : public torch::nn::Module {
 public:
  DigitPerceptronImpl();

  GRAPHED(images: f32[64, 784])
  torch::Tensor forward(const torch::Tensor& images);

 private:
  torch::nn::Linear layer1_, layer2_, layer3_;
};
TORCH_MODULE(DigitPerceptron);

/// A layer of a transformer's encoder, with the sizes of "Attention is all you need" (https://arxiv.org/abs/1706.03762): 512 wide, 8 heads,
/// 2048 in the feed-forward block, dropout 0.1. 12 parameters.
class EncoderLayerImpl : public torch::nn::Module {
 public:
  EncoderLayerImpl();

  torch::Tensor forward(const torch::Tensor& source);

 private:
  torch::Tensor attend(const torch::Tensor& x);

  torch::Tensor in_weight_, in_bias_;
  torch::nn::Linear out_, linear1_, linear2_;
  torch::nn::LayerNorm norm1_, norm2_;
};
TORCH_MODULE(EncoderLayer);

class EncoderImpl : public torch::nn::Module {
 public:
  explicit EncoderImpl(int64_t layers);

  /// source: [length, batch, width].
  GRAPHED(source: f32[128, 8, 512])
  torch::Tensor forward(const torch::Tensor& source);

 private:
  torch::nn::ModuleList layers_;
};
TORCH_MODULE(Encoder);

/// A GRU over a sequence, a step at a time, with the sizes of PyTorch's translation tutorial: 128 wide, 32 sequences
/// (https://docs.pytorch.org/tutorials/intermediate/seq2seq_translation_tutorial.html).
class RecurrentImpl : public torch::nn::Module {
 public:
  RecurrentImpl();

  /// The state after the last of 20 steps.
  GRAPHED(sequence: f32[20, 32, 128])
  torch::Tensor forward(const torch::Tensor& sequence);

 private:
  torch::nn::GRUCell cell_;
};
TORCH_MODULE(Recurrent);

}  // namespace benchmarks
