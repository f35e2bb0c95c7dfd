// SPDX-License-Identifier: Apache-2.0
//
// What a method that makes the object's tensors writes is there before the first call; what is changed alone is not. The callable changes
// both, so that no call can look at them.
// RUN: graphgen --check --checks=-graphed-host-state %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) {
    torch::Tensor y = x + weight;
    ++scale, ++gain;
    y.mul_(scale);
    // CHECK: frozen.cpp:[[#@LINE+2]]:19: warning: 'gain' is read when the graph is captured: replays keep that value [graphed-frozen]
    // CHECK: frozen.cpp:[[#@LINE+7]]:38: note: it is changed here
    return y.mul_(gain);
  }
  void setup(double given) {
    weight = torch::zeros({2});
    scale = given;
  }
  void set_gain(double given) { gain = given; }
  torch::Tensor weight;
  double scale = 1, gain = 1;
};
