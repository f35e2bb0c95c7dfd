// SPDX-License-Identifier: Apache-2.0
//
// What annotated sizes decide is certain: a branch that they take, and what follows a return that they exclude.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

using torch::Tensor;

GRAPHED(x: f32[8, 2]) Tensor after_a_return(const Tensor& x) {
  if (x.size(0) < 4 || x.size(1) != 2 || x.numel() != 16) {
    x.item();
    return x;
  }
  // CHECK: sizes.cpp:[[#@LINE+1]]:5: error: 'item' reads a tensor's value on the host
  x.item();
  return x + x;
}

GRAPHED(x: f32[B, 2]; B in {1, 8}) Tensor of_a_variable(const Tensor& x) {
  if (x.size(0) < 4) {
    // CHECK: :[[#@LINE+1]]:7: warning: 'item' reads a tensor's value on the host
    x.item();
  }
  if (x.size(-1) == 2) {
    // CHECK: :[[#@LINE+1]]:7: error: 'item' reads a tensor's value on the host
    x.item();
  }
  if (x.dim() == 2) {
    // CHECK: :[[#@LINE+1]]:7: error: 'item' reads a tensor's value on the host
    x.item();
  }
  if (x.numel() == 16) {
    // CHECK: :[[#@LINE+1]]:7: warning: 'item' reads a tensor's value on the host
    x.item();
  }
  const Tensor same = x;
  if (same.size(1) != 2 || same.dim() > 2) {
    x.item();
  }
  const Tensor flat = x.view({-1});
  if (flat.size(0) == 2) {
    // CHECK: :[[#@LINE+1]]:7: warning: 'item' reads a tensor's value on the host
    x.item();
  }
  return flat;
}
