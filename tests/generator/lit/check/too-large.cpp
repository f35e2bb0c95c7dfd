// SPDX-License-Identifier: Apache-2.0
//
// What is too large to be checked in full.
// RUN: %exits 1 graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

/// Each call has a number of its own.
template <int Depth>
int count(int from) {
  if constexpr (Depth > 0) {
    return count<Depth - 1>(2 * from) + count<Depth - 1>(2 * from + 1);
  } else {
    return from;
  }
}
inline torch::Tensor reads(const torch::Tensor& x) { return x * x.item<float>(); }

GRAPHED(x: f32[2]) torch::Tensor large(const torch::Tensor& x) {
  // CHECK: too-large.cpp:12:{{[0-9]+}}: warning: 'large' is too large to be checked in full: this call, and others after it, are not looked into [graphed-unchecked]
  const int n = count<17>(1);
  return reads(x) * n;
}
GRAPHED(x: f32[2]; allow = graphed-unchecked) torch::Tensor allowed(const torch::Tensor& x) { return reads(x) * count<17>(1); }

// CHECK: too-large.cpp:17:{{[0-9]+}}: error: 'item' reads
GRAPHED(x: f32[2]) torch::Tensor small(const torch::Tensor& x) {
  const int n = count<3>(1);
  return reads(x) * n;
}
