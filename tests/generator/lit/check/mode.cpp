// SPDX-License-Identifier: Apache-2.0
//
// Modes that are left behind.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: warning: 'set_autocast_enabled' leaves
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::half(); }

GRAPHED(x: f32[2]) void leaves(const torch::Tensor& x) {
  // CHECK: mode.cpp:[[#@LINE+1]]:18: warning: 'set_enabled' leaves a mode behind, which a replay does not set; set it outside of the callable, or by a guard [graphed-mode]
  c10::GradMode::set_enabled(false);
  // CHECK: :[[#@LINE+1]]:17: warning: 'set_autocast_enabled' leaves
  at::autocast::set_autocast_enabled(torch::kCUDA, true);
}

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) void evaluates(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:5: warning: 'eval' leaves a mode behind
    eval();
  }
  GRAPHED(x: f32[2]) void trains_another(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:11: warning: 'train' leaves a mode behind
    other.train(false);
  }
  // Set back, and a module of the call.
  GRAPHED(x: f32[2]) void sets_back(const torch::Tensor& x) {
    eval();
    x.tanh();
    train();
    torch::nn::Module made;
    made.eval();
  }
  GRAPHED(x: f32[2]) void local(const torch::Tensor& x) {
    torch::nn::Module made;
    made.eval();
  }
  torch::nn::Module other;
};

struct Autocast {
  Autocast() { at::autocast::set_autocast_enabled(torch::kCUDA, true); }
  ~Autocast() { at::autocast::set_autocast_enabled(torch::kCUDA, false); }
};

// Guards, and what is set back.
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  const torch::NoGradGuard no_grad;
  const Autocast on;
  const bool before = at::autocast::is_autocast_enabled(torch::kCUDA);
  at::autocast::set_autocast_enabled(torch::kCUDA, true);
  x.tanh();
  at::autocast::set_autocast_enabled(torch::kCUDA, before);
}

#define OFF() c10::GradMode::set_enabled(false)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: 'set_enabled' leaves
  // CHECK: note: expanded from macro 'OFF'
  OFF();
}

template <bool On>
void enable() {
  // CHECK: :[[#@LINE+2]]:18: warning: 'set_enabled' leaves
  // CHECK: note: called from 'in_a_template' here
  c10::GradMode::set_enabled(On);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { enable<true>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  c10::GradMode::set_enabled(false);  // graphgen: allow(graphed-mode)
}
GRAPHED(x: f32[2]; allow = graphed-mode) void allowed(const torch::Tensor& x) { c10::GradMode::set_enabled(false); }
