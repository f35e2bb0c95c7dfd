// SPDX-License-Identifier: Apache-2.0
//
// Conditions computed from a tensor's value; the read is reported, once.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: reads.h:10:{{[0-9]+}}: error: a branch on a tensor's value, which 'item' reads on the host: a graph has one path; choose by torch::where, graphed::if_else or graphed::while_loop [graphed-host-branch]
// CHECK: reads.h:10:{{[0-9]+}}: note: the branch is here
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { reads::branch(x); }

GRAPHED(x: f32[2]) torch::Tensor directly(const torch::Tensor& x) {
  // CHECK: host-branch.cpp:[[#@LINE+2]]:9: error: a branch on a tensor's value, which 'item' reads on the host: a graph has one path; choose by torch::where, graphed::if_else or graphed::while_loop [graphed-host-branch]
  // CHECK: host-branch.cpp:[[#@LINE+1]]:7: note: the branch is here
  if (x.item<bool>()) {
    return x;
  }
  return x + x;
}

// Through a variable. Tensors that are compared are read, too.
GRAPHED(x: f32[2]) torch::Tensor by_a_variable(torch::Tensor x) {
  // CHECK: :[[#@LINE+4]]:23: error: a branch on a tensor's value, which 'item' reads
  // CHECK: :[[#@LINE+5]]:10: note: the branch is here
  // CHECK: :[[#@LINE+3]]:23: error: a branch on a tensor's value, which 'allclose' reads
  // CHECK: :[[#@LINE+3]]:10: note: the branch is here
  const float sum = x.item<float>();
  const bool same = x.allclose(x);
  while (sum > 0 && same) {
    x = x + x;
  }
  return x;
}

// A branch on what is static for the callable, or on the device, is none.
struct Net {
  bool deep;
  GRAPHED(x: f32[2], wide: key) torch::Tensor forward(const torch::Tensor& x, bool wide) {
    if (deep || wide || x.size(0) > 1 || x.is_floating_point() || x.is_leaf()) {
      return torch::where(x > 0.0, x, x + x);
    }
    return x;
  }
};

#define EITHER(condition, a, b) ((condition) ? (a) : (b))
GRAPHED(x: f32[2]) torch::Tensor in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:19: error: a branch on a tensor's value
  // CHECK: :[[#@LINE+1]]:10: note: the branch is here
  return EITHER(x.equal(x), x, x + x);
}

template <int Times>
torch::Tensor repeated(torch::Tensor x) {
  // CHECK: :[[#@LINE+3]]:34: error: a branch on a tensor's value
  // CHECK: :[[#@LINE+2]]:19: note: the branch is here
  // CHECK: note: called from 'in_a_template' here
  for (int i = 0; i < Times && x.is_nonzero(); ++i) {
    x = x + x;
  }
  return x;
}
GRAPHED(x: f32[2]) torch::Tensor in_a_template(const torch::Tensor& x) { return repeated<2>(x); }
