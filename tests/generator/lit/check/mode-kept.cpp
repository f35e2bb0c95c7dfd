// SPDX-License-Identifier: Apache-2.0
//
// A mode that each call sets and nothing else changes is there after the warm-ups; what sets it twice is taken to set it back.
// RUN: graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: graphgen --check %s %flags -fno-caret-diagnostics -DALSO_EVALUATES 2>&1 | FileCheck %s --check-prefixes=CHECK,CHANGED --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) void step(const torch::Tensor& x) {
    // CHANGED: mode-kept.cpp:[[#@LINE+1]]:5: warning: 'train' leaves a mode behind, which a replay does not set; set it outside of the callable [graphed-mode]
    train();
    x.tanh();
  }
#ifdef ALSO_EVALUATES
  void evaluate() { eval(); }
#endif
};

GRAPHED(x: f32[2], on: key) void sets_back(const torch::Tensor& x, bool on) {
  c10::GradMode::set_enabled(false);
  x.tanh();
  c10::GradMode::set_enabled(true);
}

// Under a condition another key leaves it as it is.
GRAPHED(x: f32[2], on: key) void sometimes(const torch::Tensor& x, bool on) {
  if (on) {
    // CHECK: mode-kept.cpp:[[#@LINE+1]]:20: warning: 'set_enabled' leaves a mode behind
    c10::GradMode::set_enabled(false);
  }
}
