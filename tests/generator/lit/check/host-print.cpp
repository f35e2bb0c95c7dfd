// SPDX-License-Identifier: Apache-2.0
//
// Tensors printed.
// RUN: not graphgen --check --diagnostics-format=json --checks=-graphed-host-state %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <iostream>
#include <sstream>

// CHECK: reads.h:12:{{[0-9]+}}: error: printing a tensor reads it on the host, which a graph cannot do [graphed-host-print]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { reads::print(x, std::cout); }

GRAPHED(x: f32[2], xs: f32[2] * 3) void named(const torch::Tensor& x, at::TensorList xs) {
  std::ostringstream text;
  // CHECK: host-print.cpp:[[#@LINE+1]]:21: error: printing a tensor reads it on the host, which a graph cannot do [graphed-host-print]
  std::cout << "x " << x + x << '\n';
  // CHECK: :[[#@LINE+1]]:8: error: printing a tensor
  text << x;
  // CHECK: :[[#@LINE+1]]:8: error: printing a tensor
  text << xs;
  // CHECK: :[[#@LINE+1]]:7: error: printing a tensor
  at::print(x);
  // CHECK: :[[#@LINE+1]]:8: error: printing a tensor
  c10::str("x ", x);
}

GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  std::cout << x.sizes() << x.size(0) << (x.size(0) << 2);
  if (x.size(0) != 2) {
    throw std::invalid_argument(c10::str("got ", x));
  }
}

#define SHOW(value) std::cout << #value << (value)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: printing a tensor
  // CHECK: :[[#@LINE-3]]:41: note: expanded from macro 'SHOW'
  SHOW(x);
}

template <class T>
void show(const T& x) {
  // CHECK: :[[#@LINE+2]]:13: error: printing a tensor
  // CHECK: note: called from 'in_a_template' here
  std::cout << x;
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) {
  show(x);
  show(x.size(0));
}
