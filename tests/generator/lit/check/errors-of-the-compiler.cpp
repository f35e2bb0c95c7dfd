// SPDX-License-Identifier: Apache-2.0
//
// A body that the compiler refuses is looked at as far as it can be read, and a warning says so.
// RUN: %exits 1 graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

torch::Tensor helper(torch::Tensor x, torch::Tensor* y);

GRAPHED(x: f32[2])
torch::Tensor wrong_arguments(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:21: warning: 'wrong_arguments' is checked in part, because the compiler refuses it: no matching function for call to 'helper' [graphed-unchecked]
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
  // CHECK: :[[#@LINE+1]]:22: warning: 'wrong_in_braces' is checked in part
  const Pair made{x, count(x)};
  // CHECK: :[[#@LINE+1]]:12: error: 'item' reads
  return x.item<float>() * made.first;
}

int64_t wrong_where_called(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:12: warning: 'wrong_where_called' is checked in part, because the compiler refuses it: no member named 'largest' in {{.*}} [graphed-unchecked]
  return x.largest();
}
GRAPHED(x: f32[2])
torch::Tensor calls(const torch::Tensor& x) { return x * wrong_where_called(x) + wrong_where_called(x + 1); }

// Nothing of an error that no callable comes to, and of one that is allowed.
int64_t not_called(const torch::Tensor& x) { return x.largest(); }
GRAPHED(x: f32[2]; allow = graphed-unchecked)
torch::Tensor allowed(const torch::Tensor& x) { return x * x.largest(); }
