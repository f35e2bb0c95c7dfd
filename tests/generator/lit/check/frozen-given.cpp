// SPDX-License-Identifier: Apache-2.0
//
// A variable of a function that gives others a reference to it.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Config {
  double eps = 1;
};

Config& config() {
  static Config all;
  return all;
}
GRAPHED(x: f32[2]) torch::Tensor given(const torch::Tensor& x) {
  // CHECK: frozen-given.cpp:[[#@LINE+2]]:23: warning: 'eps' is read when the graph is captured: replays keep that value, and no call notices a change [graphed-frozen]
  // CHECK: :[[#@LINE-9]]:10: note: declared here
  return x / config().eps;
}

// It never changes, or by its function alone.
const Config& fixed() {
  static Config all;
  return all;
}
double own() {
  static double value = 1;
  return value;
}
GRAPHED(x: f32[2]) torch::Tensor safe(const torch::Tensor& x) {
  return x / (fixed().eps + own());
}
