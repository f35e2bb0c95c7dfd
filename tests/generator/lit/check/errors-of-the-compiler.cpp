// SPDX-License-Identifier: Apache-2.0
//
// A body that the compiler refuses is looked at as far as it can be read.
// RUN: %exits 1 graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

torch::Tensor helper(torch::Tensor x, torch::Tensor* y);

GRAPHED(x: f32[2])
torch::Tensor wrong_arguments(const torch::Tensor& x) {
  torch::Tensor y = helper(x, &x);
  const auto z = x.index({x}).index({&y});
  // CHECK: :[[#@LINE+1]]:12: error: 'item' reads
  return y.item<float>() * x;
}

struct Pair {
  torch::Tensor first;
  int64_t second;
};
int64_t count(const Pair& of);

GRAPHED(x: f32[2])
torch::Tensor wrong_in_braces(const torch::Tensor& x) {
  const Pair made{x, count(x)};
  // CHECK: :[[#@LINE+1]]:12: error: 'item' reads
  return x.item<float>() * made.first;
}
