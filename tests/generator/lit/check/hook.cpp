// SPDX-License-Identifier: Apache-2.0
//
// Hooks of tensors from outside.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: error: a hook is registered on 'last'
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::watch(); }

const auto doubled = [](const torch::Tensor& gradient) { return gradient + gradient; };

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) torch::Tensor forward(const torch::Tensor& x) {
    // CHECK: hook.cpp:[[#@LINE+1]]:12: error: a hook is registered on the member 'weight' by each call that is not a replay, and by no replay [graphed-hook]
    weight.register_hook(doubled);
    auto y = x * weight;
    // CHECK: :[[#@LINE+1]]:7: warning: 'retain_grad' keeps no gradient of a replay's tensor [graphed-hook]
    y.retain_grad();
    return y;
  }

  // On tensors that the callable makes, and on those that it is given.
  GRAPHED(x: f32[2] grad) torch::Tensor safe(const torch::Tensor& x) {
    auto y = x * weight;
    y.register_hook(doubled);
    x.register_hook(doubled);
    return y;
  }
  GRAPHED(x: f32[2]; step) void step(const torch::Tensor& x) {
    auto y = x * weight;
    y.retain_grad();
  }
  torch::Tensor weight;
};
torch::Tensor global;

#define WATCH(tensor) (tensor).register_hook(doubled)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: a hook is registered on 'global'
  // CHECK: note: expanded from macro 'WATCH'
  WATCH(global);
}

template <class T>
void watch(const T& x) {
  // CHECK: :[[#@LINE+2]]:5: error: a hook is registered on 'global'
  // CHECK: note: called from 'in_a_template' here
  x.register_hook(doubled);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) {
  watch(x + x);
  watch(global);
}

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  global.register_hook(doubled);  // graphgen: allow(graphed-hook)
}
GRAPHED(x: f32[2]; allow = graphed-hook) void allowed(const torch::Tensor& x) { global.register_hook(doubled); }
