// SPDX-License-Identifier: Apache-2.0
//
// What is called without autograd.
#pragma once

#include "resnet.h"

#include <graphed/annotate.h>

#include <torch/nn.h>

#include <cstdint>
#include <vector>

namespace benchmarks {

/// So many small kernels, each of which waits for the one before. x: f32[1024].
template <int64_t Kernels>
GRAPHED(x: f32[1024]) torch::Tensor chain(const torch::Tensor& x);
extern template torch::Tensor chain<0>(const torch::Tensor&);
extern template torch::Tensor chain<1>(const torch::Tensor&);
extern template torch::Tensor chain<10>(const torch::Tensor&);
extern template torch::Tensor chain<100>(const torch::Tensor&);
extern template torch::Tensor chain<500>(const torch::Tensor&);

/// 256-256-256-10 on rows that come in one tensor, or in several that are joined.
class PerceptronImpl : public torch::nn::Module {
 public:
  PerceptronImpl();

  GRAPHED(x: f32[64, 256])
  torch::Tensor forward(const torch::Tensor& x);
  GRAPHED(xs: f32[64, 32] * 8)
  torch::Tensor of_eight(at::TensorList xs);
  GRAPHED(xs: f32[64, 8] * 32)
  torch::Tensor of_thirty_two(at::TensorList xs);
  /// With dropout, as for Monte Carlo estimates of uncertainty (https://arxiv.org/abs/1506.02142).
  GRAPHED(x: f32[64, 256])
  torch::Tensor with_dropout(const torch::Tensor& x);

 private:
  torch::nn::Linear layer1_, layer2_, layer3_;
};
TORCH_MODULE(Perceptron);

/// 24 sums that begin at zero: a chain of additions, each second one into a buffer that a memset has cleared.
class ClearedSumsImpl : public torch::nn::Module {
 public:
  ClearedSumsImpl();

  GRAPHED(x: f32[1024])
  torch::Tensor forward(const torch::Tensor& x);
  /// The same additions, but the sums go on from the last call's.
  torch::Tensor without_memsets(const torch::Tensor& x);

 private:
  std::vector<torch::Tensor> sums_;
};
TORCH_MODULE(ClearedSums);

/// The actor of TD3 with the sizes of LeanRL (https://github.com/pytorch-labs/LeanRL): 17-256-256-6.
class PolicyImpl : public torch::nn::Module {
 public:
  PolicyImpl();

  GRAPHED(observations: f32[B, 17]; B in {1, 256})
  torch::Tensor forward(const torch::Tensor& observations);
  /// The same, where many policies are asked one after another: they share a pool.
  GRAPHED(observations: f32[1, 17]; pool = policies)
  torch::Tensor forward_of_many(const torch::Tensor& observations);

 private:
  torch::nn::Linear layer1_, layer2_, layer3_;
};
TORCH_MODULE(Policy);

/// Policies that one call asks the same.
class PoliciesImpl : public torch::nn::Module {
 public:
  explicit PoliciesImpl(const std::vector<Policy>& all);

  GRAPHED(observations: f32[1, 17])
  std::vector<torch::Tensor> forward(const torch::Tensor& observations);

 private:
  std::vector<Policy> all_;
};
TORCH_MODULE(Policies);

class ClassifierImpl : public torch::nn::Module {
 public:
  ClassifierImpl();

  GRAPHED(image: f32[1, 3, 224, 224])
  torch::Tensor forward(const torch::Tensor& image);

 private:
  ResNet18 net_;
};
TORCH_MODULE(Classifier);

}  // namespace benchmarks
