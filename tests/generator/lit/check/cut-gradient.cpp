// SPDX-License-Identifier: Apache-2.0
//
// Arguments marked 'grad' that no gradient reaches.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: cut-gradient.cpp:[[#@LINE+2]]:12: warning: the argument 'w' is marked 'grad', and gets no gradient: 'detach' cuts it off [graphed-cut-gradient]
GRAPHED(x: f32[2], w: f32[2] grad) torch::Tensor detached(const torch::Tensor& x, const torch::Tensor& w) {
  return w.detach() + x + torch::zeros({w.size(0)});
}

GRAPHED(w: f32[2] grad) torch::Tensor compared(const torch::Tensor& w) {
  // CHECK: :[[#@LINE+1]]:12: warning: the argument 'w' is marked 'grad', and gets no gradient: a comparison cuts it off
  return w > 0;
}

GRAPHED(w: f32[2] grad) torch::Tensor guarded(const torch::Tensor& w) {
  const torch::NoGradGuard no_grad;
  if (w.defined()) {
    // CHECK: :[[#@LINE+1]]:14: warning: the argument 'w' is marked 'grad', and gets no gradient: a guard cuts it off
    return w + w;
  }
  return torch::zeros({2});
}

// A gradient comes by one way at least, or nothing is known.
torch::Tensor elsewhere(const torch::Tensor& w);
GRAPHED(w: f32[2] grad) torch::Tensor one_way(const torch::Tensor& w) { return w.detach() + w; }
GRAPHED(w: f32[2] grad) torch::Tensor handed_on(const torch::Tensor& w) { return w.detach() + elsewhere(w); }
GRAPHED(w: f32[2] grad) torch::Tensor captured(const torch::Tensor& w) {
  const auto twice = [&] { return w + w; };
  return twice() + w.detach();
}
GRAPHED(w: f32[2] grad) torch::Tensor guarded_in_part(const torch::Tensor& w) {
  torch::Tensor scale;
  {
    const torch::NoGradGuard no_grad;
    scale = w.max();
  }
  return w / scale;
}
GRAPHED(w: f32[2]) torch::Tensor unmarked(const torch::Tensor& w) { return w.detach(); }
GRAPHED(w: f32[2] grad) torch::Tensor unused(const torch::Tensor& w) { return torch::zeros({w.size(0)}); }

#define CUT(tensor) (tensor).detach()
GRAPHED(w: f32[2] grad) torch::Tensor in_a_macro(const torch::Tensor& w) {
  // CHECK: :[[#@LINE+2]]:10: warning: the argument 'w' is marked 'grad'
  // CHECK: note: expanded from macro 'CUT'
  return CUT(w);
}

template <int N>
GRAPHED(w: f32[N] grad) torch::Tensor in_a_template(const torch::Tensor& w) {
  // CHECK: :[[#@LINE+1]]:12: warning: the argument 'w' is marked 'grad'
  return w.detach();
}
template torch::Tensor in_a_template<2>(const torch::Tensor& w);

GRAPHED(w: f32[2] grad) torch::Tensor silenced(const torch::Tensor& w) {
  return w.detach();  // graphgen: allow(graphed-cut-gradient)
}
GRAPHED(w: f32[2] grad; allow = graphed-cut-gradient) torch::Tensor allowed(const torch::Tensor& w) { return w.detach(); }
