// SPDX-License-Identifier: Apache-2.0
//
// Results whose shapes depend on values.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/torch.h>

// CHECK: reads.h:15:{{[0-9]+}}: error: the shape that 'nonzero' gives depends on a tensor's values, which a graph cannot follow [graphed-dynamic-shape]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { reads::shape(x); }

GRAPHED(x: f32[2], n: i64[2], y: i64[2] inplace) void named(const torch::Tensor& x, const torch::Tensor& n, torch::Tensor& y) {
  // CHECK: dynamic-shape.cpp:[[#@LINE+1]]:5: error: the shape that 'masked_select' gives depends on a tensor's values, which a graph cannot follow [graphed-dynamic-shape]
  x.masked_select(x > 0.0);
  // CHECK: :[[#@LINE+1]]:10: error: the shape that 'where' gives
  torch::where(x > 0.0);
  // CHECK: :[[#@LINE+1]]:7: error: the shape that 'bincount' gives
  at::bincount(n);
  // CHECK: :[[#@LINE+1]]:7: error: the shape that 'one_hot' gives
  at::one_hot(n);
  // CHECK: :[[#@LINE+1]]:26: error: the shape that 'one_hot' gives
  torch::nn::functional::one_hot(n);
  // CHECK: :[[#@LINE+1]]:7: error: the shape that 'nonzero_out' gives
  at::nonzero_out(y, x);
  // CHECK: :[[#@LINE+1]]:5: error: the shape that 'repeat_interleave' gives
  x.repeat_interleave(n, 0);
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask has a shape that depends on the mask's values, which a graph cannot follow [graphed-dynamic-shape]
  x.index({x > 0.0});
  const torch::Tensor mask = ~(x > 0.0);
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({0, mask});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a mask
  x.index({mask.view({2})});
}

// Shapes that the arguments say, and indices of integers.
GRAPHED(x: f32[2], n: i64[2]) void safe(const torch::Tensor& x, const torch::Tensor& n) {
  torch::where(x > 0.0, x, x + x);
  at::one_hot(n, 10);
  torch::nn::functional::one_hot(n, 10);
  x.repeat_interleave(2);
  x.repeat_interleave(n, 0, 12);
  x.index({n});
  x.index({0, n});
  x.index({n.view({2})});
}

#define POSITIVE(tensor) tensor.masked_select((tensor) > 0.0)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: the shape that 'masked_select' gives
  // CHECK: :[[#@LINE-3]]:33: note: expanded from macro 'POSITIVE'
  POSITIVE(x);
}

template <class T>
T found(const T& x) {
  // CHECK: :[[#@LINE+2]]:12: error: the shape that 'nonzero' gives
  // CHECK: note: called from 'in_a_template' here
  return x.nonzero();
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { found(x); }
