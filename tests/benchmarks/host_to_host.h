// SPDX-License-Identifier: Apache-2.0
//
// A policy whose observation comes from the memory of the host and whose action goes back there.
#pragma once

#include <graphed/annotate.h>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

namespace benchmarks {

/// 84-256-256-6, batch 1.
class HostPolicy : public torch::nn::Module {
 public:
  HostPolicy();

  /// The observation is on the device.
  GRAPHED(obs: f32[1, 84])
  at::Tensor forward(const at::Tensor& obs);

  GRAPHED(obs: f32[1, 84] host; outputs = host)
  at::Tensor act(const at::Tensor& obs);

 private:
  torch::nn::Linear first_{84, 256}, second_{256, 256}, last_{256, 6};
};

}  // namespace benchmarks
