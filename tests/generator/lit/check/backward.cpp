// SPDX-License-Identifier: Apache-2.0
//
// Backwards inside of callables, and those of custom functions.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: warning: 'backward' gives
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::back(x); }

GRAPHED(x: f32[2]) void no_step(const torch::Tensor& x) {
  // CHECK: backward.cpp:[[#@LINE+1]]:11: warning: 'backward' gives leaves another '.grad', which only a 'step' may do [graphed-backward]
  x.sum().backward();
}

GRAPHED(x: f32[2]; step) void twice(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:47: warning: 'create_graph' ties each '.grad' to the graph that it came from, which then holds its capture's memory permanently [graphed-backward]
  x.sum().backward({}, true, /*create_graph=*/true);
}

// A step, and gradients that are results, of whatever order.
GRAPHED(x: f32[2]; step) void safe_step(const torch::Tensor& x) {
  x.sum().backward();
  x.sum().backward({}, true, false);
}

// A step leaves a gradient to an argument, as eager mode does.
torch::Tensor weight;
GRAPHED(x: f32[2] grad, y: f32[2] grad; step) void of_an_argument(const torch::Tensor& x, const torch::Tensor& y) {
  (x * y.detach()).backward();
}
GRAPHED(x: f32[2] grad, on: key; step) void of_an_argument_perhaps(const torch::Tensor& x, bool on) {
  const torch::Tensor loss = (x * weight).sum();
  if (on) loss.backward();
}
GRAPHED(x: f32[2] grad; step) torch::Tensor safe_argument(const torch::Tensor& x) {
  (x * weight).sum().backward({}, true, false, std::vector<torch::Tensor>{weight});
  (x.detach() * weight).sum().backward();
  return torch::autograd::grad({(x * weight).sum()}, {x})[0];
}
GRAPHED(x: f32[2] grad) torch::Tensor safe(const torch::Tensor& x) {
  return torch::autograd::grad({x.sum()}, {x}, {}, true, /*create_graph=*/true)[0];
}

struct Scale : torch::autograd::Function<Scale> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& x) {
    // CHECK: :[[#@LINE+2]]:7: warning: 'item' reads
    // CHECK: :[[#@LINE+12]]:17: note: called from 'custom' here
    x.item<float>();
    return x + x;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*, torch::autograd::variable_list gradients) {
    // CHECK: :[[#@LINE+2]]:18: warning: 'item' reads
    // CHECK: :[[#@LINE+6]]:17: note: in the backward of what 'custom' applies here
    gradients[0].item<float>();
    return gradients;
  }
};
GRAPHED(x: f32[2], fast: key) torch::Tensor custom(const torch::Tensor& x, bool fast) {
  return fast ? Scale::apply(x) : x;
}

// A Function that nothing applies is not looked at.
struct Unused : torch::autograd::Function<Unused> {
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*, torch::autograd::variable_list gradients) {
    gradients[0].item<float>();
    return gradients;
  }
};

#define BACK(tensor) (tensor).sum().backward()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: 'backward' gives
  // CHECK: note: expanded from macro 'BACK'
  BACK(x);
}

template <class T>
void back(const T& x) {
  // CHECK: :[[#@LINE+2]]:11: warning: 'backward' gives
  // CHECK: note: called from 'in_a_template' here
  x.sum().backward();
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { back(x); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  x.sum().backward();  // graphgen: allow(graphed-backward)
}
GRAPHED(x: f32[2]; allow = graphed-backward) void allowed(const torch::Tensor& x) { x.sum().backward(); }
