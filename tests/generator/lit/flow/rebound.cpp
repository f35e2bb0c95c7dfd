// SPDX-License-Identifier: Apache-2.0
//
// A member that is assigned where a condition names it, through ties of ties; a parameter that becomes a view of itself.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <tuple>

using torch::Tensor;

Tensor state, average, output, hidden, cell, queue;

struct Net {
  bool keeps = false;
  void keep() { keeps = true; }

  GRAPHED(x: f32[8]) Tensor named_by_conditions(const Tensor& x) {
    TORCH_CHECK(state.defined());
    if (keeps) {
      // CHECK: rebound.cpp:[[#@LINE+1]]:13: warning: 'state' is another tensor for each call, made from the last one
      state = state + x;
    }
    if (!average.defined()) {
      average = x + x;
    } else {
      // CHECK: :[[#@LINE+1]]:15: warning: 'average' is another tensor for each call, made from the last one
      average = average + x;
    }
    return state + average;
  }

  GRAPHED(x: f32[8]) Tensor shortened(const Tensor& x) {
    // CHECK: :[[#@LINE+1]]:11: error: 'queue' is another tensor for each call, made from the last one
    queue = queue.narrow(0, 1, 7);
    cell = cell.detach();
    return x + queue;
  }

  GRAPHED(x: f32[8]) Tensor tied_twice(const Tensor& x) {
    // CHECK: :[[#@LINE+3]]:27: warning: 'output' is assigned at the capture only
    // CHECK: :[[#@LINE+2]]:44: error: 'hidden' is another tensor for each call, made from the last one
    // CHECK: :[[#@LINE+1]]:52: error: 'cell' is another tensor for each call, made from the last one
    std::forward_as_tuple(output, std::tie(hidden, cell)) = std::make_tuple(x + x, std::make_tuple(hidden + x, cell + x));
    return output;
  }
};

// CHECK: :[[#@LINE+3]]:18: error: 'zero_' writes to the argument 'x', which the annotation does not mark 'inplace'
GRAPHED(x: f32[8, 4]) Tensor view_of_itself(Tensor x) {
  x = x.view({4, 8});
  x.select(1, 0).zero_();
  return x + x;
}
