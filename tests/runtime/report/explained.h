// SPDX-License-Identifier: Apache-2.0
//
// What explained_test.py shows: a function without a body, and a method with one.
#pragma once

#include <graphed/annotate.h>
#include <torch/torch.h>

#include <utility>

namespace app {

GRAPHED(obs: f32[B, 128], w: f32[128, 10] grad, causal: key; B in {1, 8, 64} pad, slots = 4)
torch::Tensor policy(const torch::Tensor& obs, const torch::Tensor& w, bool causal = true);

torch::Tensor normalized(const torch::Tensor& x);

struct Average {
  GRAPHED(x: f32[64, 128] inplace)
  GRAPHED(x: f32[T, 128] inplace; T in any 4)
  void update(torch::Tensor& x) {
    mean.mul_(0.5);
    x.add_(normalized(x));
  }
  torch::Tensor mean;
};

}  // namespace app
