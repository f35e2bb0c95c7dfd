// SPDX-License-Identifier: Apache-2.0
//
// The mode of one module is not set back by that of another.
// RUN: graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Pair {
  GRAPHED(x: f32[2]) void two(const torch::Tensor& x) {
    // CHECK: mode-modules.cpp:[[#@LINE+1]]:12: warning: 'train' leaves a mode behind, which a replay does not set; set it outside of the callable [graphed-mode]
    first->train();
    // CHECK: :[[#@LINE+1]]:13: warning: 'eval' leaves a mode behind
    second->eval();
  }
  GRAPHED(x: f32[2]) void twice(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:12: warning: 'eval' leaves a mode behind
    first->eval();
    x.tanh();
    // CHECK: :[[#@LINE+1]]:12: warning: 'train' leaves a mode behind
    first->train(false);
  }
  GRAPHED(x: f32[2]) void set_back(const torch::Tensor& x) {
    first->eval();
    second->train();
    x.tanh();
    first->train();
    second->eval();
  }
  std::shared_ptr<torch::nn::Module> first, second;
};
