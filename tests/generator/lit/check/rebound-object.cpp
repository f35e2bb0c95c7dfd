// SPDX-License-Identifier: Apache-2.0
//
// An object with tensors that a copy which nothing wrote assigns: one finding, at the assignment, which names the tensors.
// RUN: graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Cell {
  torch::Tensor h, c;
  int steps = 0;
};
struct Layers {
  Cell first;
  torch::Tensor last;
};
struct Written {
  torch::Tensor h;
  Written& operator=(const Written& other) {
    // CHECK: rebound-object.cpp:[[#@LINE+2]]:7: warning: the member 'h' is assigned at the capture only
    // CHECK-NEXT: note: called from 'Net::by_operator' here
    h = other.h;
    return *this;
  }
};
struct Plain {
  int steps = 0;
};

Cell next(const torch::Tensor& x) { return {x + x, x * x}; }

struct Net : torch::nn::Module {
  Cell cell;
  Layers layers;
  Written written;
  Plain plain;

  GRAPHED(x: f32[2]) void by_result(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:10: warning: each tensor of the member 'cell' ('h', 'c') is assigned at the capture only, and then shows memory that each replay overwrites [graphed-rebound]
    cell = next(x);
  }
  GRAPHED(x: f32[2]) void by_copy(const torch::Tensor& x) {
    const Cell fresh = next(x);
    // CHECK: :[[#@LINE+1]]:10: warning: each tensor of the member 'cell' ('h', 'c') is assigned
    cell = fresh;
  }
  GRAPHED(x: f32[2]) void nested(const torch::Tensor& x) {
    Layers fresh;
    fresh.last = fresh.first.h = x + x;
    // CHECK: :[[#@LINE+1]]:12: warning: each tensor of the member 'layers' ('first.h', 'first.c', 'last') is assigned
    layers = fresh;
  }
  GRAPHED(x: f32[2]) void carried(const torch::Tensor& x) {
    Cell fresh;
    fresh.h = cell.h + x;
    fresh.c = cell.c * x;
    cell = fresh;
  }
  // One that stays, and a number, carry nothing.
  GRAPHED(x: f32[2]) void kept(const torch::Tensor& x) {
    Cell fresh;
    fresh.h = x + x;
    fresh.c = cell.c;
    fresh.steps = cell.steps + 1;
    // CHECK: :[[#@LINE+1]]:10: warning: each tensor of the member 'cell' ('h', 'c') is assigned
    cell = fresh;
  }
  GRAPHED(x: f32[2]) void by_operator(const torch::Tensor& x) {
    Written fresh;
    fresh.h = x + x;
    written = fresh;
  }
  GRAPHED(x: f32[2]) torch::Tensor safe(const torch::Tensor& x) {
    if (!cell.h.defined()) {
      cell = next(torch::zeros({2}));
    }
    Cell own = next(x);
    Cell copy;
    copy = own;
    plain = Plain{2};
    return copy.h;
  }
};
