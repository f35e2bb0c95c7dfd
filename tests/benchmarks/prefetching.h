// SPDX-License-Identifier: Apache-2.0
//
// A step that is given large batches from the memory of the host.
#pragma once

#include <graphed/annotate.h>
#include <graphed/optim.h>

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/container/sequential.h>

namespace benchmarks {

/// 784-512-10, batch 1024.
class BatchLearner {
 public:
  explicit BatchLearner(c10::Device device);

  GRAPHED(x: f32[1024, 784], y: i64[1024]; step)
  at::Tensor learn(const at::Tensor& x, const at::Tensor& y);

  /// The same of batches in the memory of the host.
  GRAPHED(x: f32[1024, 784] host, y: i64[1024] host; step)
  at::Tensor learn_from_host(const at::Tensor& x, const at::Tensor& y);

 private:
  torch::nn::Sequential net_;
  graphed::optim::SGD optimizer_;
};

}  // namespace benchmarks
