// SPDX-License-Identifier: Apache-2.0
//
// Elements that the annotation says one by one, lists that are empty, and lists that a variable counts.
// RUN: not graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

GRAPHED(xs: {f32[2] inplace, f32[3]}) void marked(const std::vector<Tensor>& xs) {
  xs[0].zero_();
  // CHECK: :[[#@LINE+1]]:9: error: 'zero_' writes to the argument 'xs', which
  xs[1].zero_();
  for (const Tensor& x : xs) {
    x.mul_(2);
  }
}

GRAPHED(xs: {f32[2], f32[3]}) void unmarked(const std::vector<Tensor>& xs) {
  for (const Tensor& x : xs) {
    // CHECK: :[[#@LINE+1]]:7: warning: 'mul_' writes to the argument 'xs', which
    x.mul_(2);
  }
}

GRAPHED(xs: {f32[2], f32[3]}) void sizes(const std::vector<Tensor>& xs) {
  if (xs[1].size(0) == 2) {
    xs[0].item();
  }
  if (xs[0].size(0) == 2) {
    // CHECK: :[[#@LINE+1]]:11: error: 'item' reads
    xs[1].item();
  }
}

GRAPHED(xs: f32[2] * 0) void empty(const std::vector<Tensor>& xs) {
  if (!xs.empty()) {
    xs[0].item();
  }
}

GRAPHED(xs: f32[2] * N; N in {0, 2}) void counted(const std::vector<Tensor>& xs) {
  if (xs.size() == 2) {
    // CHECK: :[[#@LINE+1]]:11: warning: 'item' reads
    xs[0].item();
  }
}
