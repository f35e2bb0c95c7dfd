// SPDX-License-Identifier: Apache-2.0
//
// At one place a write to an argument is reported beside what else is wrong there; one cause is reported once.
// RUN: not graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

GRAPHED(x: f32[4], i: i64[2], w: f32[4, 4], m: bool[4, 4]) void both(torch::Tensor x, torch::Tensor i, torch::Tensor w, torch::Tensor m) {
  // CHECK: one-place.cpp:[[#@LINE+3]]:5: warning: 'copy_' copies a tensor of the host to the device{{.*}} [graphed-host-memory]
  // CHECK: note: the tensor is made here
  // CHECK: :[[#@LINE+1]]:5: error: 'copy_' writes to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
  x.copy_(torch::randn({4}));
  // CHECK: :[[#@LINE+2]]:5: error: 'index_put_' copies a number of the host
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put_' writes to the argument 'x'
  x.index_put_({i}, 1.0);
}

GRAPHED(x: f32[4], i: i64[2]; allow = graphed-host-memory) void one_allowed(torch::Tensor x, torch::Tensor i) {
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put_' writes to the argument 'x'
  x.index_put_({i}, 1.0);
}

// A value that is read, compared and branched on is one cause, and so is a list that grows.
struct Logged {
  GRAPHED(x: f32[4] inplace, i: i64[2]) void once(torch::Tensor x, torch::Tensor i) {
    // CHECK: :[[#@LINE+2]]:17: error: a branch on a tensor's value{{.*}} [graphed-host-branch]
    // CHECK: :[[#@LINE+1]]:9: note: the branch is here
    if (x.sum().item<float>() > 0) {
    }
    // CHECK: :[[#@LINE+1]]:13: warning: 'results' changes when the graph is captured, not in replays [graphed-host-state]
    results.push_back(x + x);
    // CHECK: :[[#@LINE+1]]:7: error: 'index_put_' copies a number of the host
    x.index_put_({i}, 1.0);
  }
  std::vector<torch::Tensor> results;
};

// Of two callables that come to one place, each gets a report of what it does there.
torch::Tensor pick(const torch::Tensor& x, const torch::Tensor& i) {
  // CHECK: one-place.cpp:[[#@LINE+4]]:12: error: an index by a mask {{.*}} [graphed-dynamic-shape]
  // CHECK: note: called from 'by_mask' here
  // CHECK: one-place.cpp:[[#@LINE+2]]:12: error: an index by a tensor without dimensions {{.*}} [graphed-host-item]
  // CHECK: note: called from 'by_number' here
  return x.index({i});
}
GRAPHED(x: f32[2], i: bool[2]) torch::Tensor by_mask(const torch::Tensor& x, const torch::Tensor& i) { return pick(x, i); }
GRAPHED(x: f32[2], i: i64[]) torch::Tensor by_number(const torch::Tensor& x, const torch::Tensor& i) { return pick(x, i); }
