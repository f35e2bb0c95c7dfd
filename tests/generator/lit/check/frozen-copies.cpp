// SPDX-License-Identifier: Apache-2.0
//
// What a graph's copy of an argument has otherwise than the argument.
// RUN: graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

GRAPHED(x: f32[2], y: f32[2])
torch::Tensor compared(const torch::Tensor& x, const torch::Tensor& y) {
  // CHECK: frozen-copies.cpp:[[#@LINE+1]]:9: warning: 'is_same' tells of a graph's copy of an argument when the graph is captured, and replays keep the answer [graphed-frozen]
  if (x.is_same(y)) {
    return x + x;
  }
  // CHECK: :[[#@LINE+1]]:23: warning: 'is_alias_of' tells of a graph's copy
  if (x.view({1, -1}).is_alias_of(y)) {
    return y + y;
  }
  // CHECK: :[[#@LINE+1]]:25: warning: 'data_ptr' tells of a graph's copy
  if (x.data_ptr() == y.data_ptr()) {
    return y;
  }
  return x + y;
}

GRAPHED(x: f32[2], w: f32[2] grad)
torch::Tensor asked(const torch::Tensor& x, const torch::Tensor& w) {
  // CHECK: :[[#@LINE+2]]:9: warning: 'storage_offset' tells of a graph's copy
  // CHECK: :[[#@LINE+1]]:36: warning: '_version' tells of a graph's copy
  if (x.storage_offset() == 0 && x._version() > 3) {
    return x;
  }
  // CHECK: :[[#@LINE+2]]:9: warning: 'is_view' tells of a graph's copy
  // CHECK: :[[#@LINE+1]]:24: warning: 'is_leaf' tells of a graph's copy
  if (x.is_view() || w.is_leaf()) {
    return w;
  }
  // CHECK: :[[#@LINE+1]]:12: warning: 'grad' tells of a graph's copy
  return w.grad().defined() ? x : w;
}

// What the body leaves there itself is another question.
GRAPHED(w: f32[2] grad; allow = graphed-backward)
torch::Tensor left(const torch::Tensor& w) {
  (w + w).backward();
  return w.grad();
}

torch::Tensor global;

// CHECK: :[[#@LINE+4]]:12: warning: 'is_same' tells of a graph's copy
// CHECK: note: called from 'called' here
template <class T>
bool isOne(const T& a, const T& b) {
  return a.is_same(b);
}
GRAPHED(x: f32[2])
torch::Tensor called(const torch::Tensor& x) { return isOne(x, global) ? x : x + x; }

// One tensor, tensors that guards keep apart, or find to be one, and those that the callable makes or that outlive its calls.
GRAPHED(x: f32[2])
torch::Tensor one(const torch::Tensor& x) { return isOne(x, x) || x.contiguous().is_alias_of(x) ? x + x : x; }
GRAPHED(x: f32[2] inplace, y: f32[2])
torch::Tensor written(torch::Tensor x, const torch::Tensor& y) { return x.fill_(3).is_alias_of(y) ? y : y + y; }
GRAPHED(v: f32[2] grad, w: f32[2] grad)
torch::Tensor tied(const torch::Tensor& v, const torch::Tensor& w) { return v.is_same(w) ? v : v + w; }
GRAPHED(v: f32[2] static)
torch::Tensor in_place(const torch::Tensor& v) { return v.storage_offset() > 0 ? v : v + v; }
GRAPHED(x: f32[2])
torch::Tensor own(const torch::Tensor& x) {
  const torch::Tensor made = x + x;
  const bool is_new = made.is_same(x) || made.storage_offset() > 0 || made.is_view() || global._version() > 3 || x.is_leaf();
  return is_new || x.data_ptr() == x.data_ptr() || x.data_ptr() == nullptr ? x : x.as_strided({1}, {1}, x.storage_offset() + 1);
}
