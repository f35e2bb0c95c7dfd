// SPDX-License-Identifier: Apache-2.0
//
// Tensors from outside that become other ones in place.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: writes.h:{{[0-9]+}}:46: error: 't_' gives
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2, 2]) void in_a_header(const torch::Tensor& x) { writes::turn(x); }

torch::Tensor global;

GRAPHED(x: f32[2, 2], w: f32[2] grad) void changed(const torch::Tensor& x, torch::Tensor w) {
  // CHECK: metadata.cpp:[[#@LINE+1]]:5: error: 'requires_grad_' changes whether the argument 'x' requires grad, which ends a capture [graphed-metadata]
  x.requires_grad_();
  // CHECK: :[[#@LINE+1]]:5: error: 'requires_grad_' changes whether the argument 'w'
  w.requires_grad_(false);
  // CHECK: :[[#@LINE+1]]:5: error: 't_' gives the argument 'x' another shape or other memory, which ends a capture [graphed-metadata]
  x.t_();
  // CHECK: :[[#@LINE+1]]:5: error: 'set_data' gives the argument 'x' another shape
  x.set_data(w);
  // CHECK: :[[#@LINE+1]]:10: error: 't_' gives 'global' another shape
  global.t_();
  // CHECK: :[[#@LINE+1]]:10: warning: 'set_data' gives 'global' the graph's memory, at the capture only, which each replay overwrites [graphed-metadata]
  global.set_data(x + x);
  static torch::nn::Module net;
  // CHECK: :[[#@LINE+1]]:21: warning: 'vector_to_parameters' gives 'net' the graph's memory, at the capture only
  torch::nn::utils::vector_to_parameters(x, net.parameters());
}

struct Net {
  // The members of a list that is written out are reported one by one, at the call.
  GRAPHED(flat: f32[4]) void load(const torch::Tensor& flat) {
    torch::Tensor own = flat + flat;
    // CHECK: :[[#@LINE+2]]:23: warning: 'vector_to_parameters' gives the member 'weight' the graph's memory, at the capture only
    // CHECK: :[[#@LINE+1]]:23: warning: 'vector_to_parameters' gives the member 'bias' the graph's memory
    torch::nn::utils::vector_to_parameters(flat, {weight, own, bias});
    torch::nn::utils::vector_to_parameters(flat, {own});
  }
  torch::Tensor weight, bias;
};

// What the annotation says, and tensors of the callable's own.
GRAPHED(x: f32[2], w: f32[2] grad) torch::Tensor safe(const torch::Tensor& x, const torch::Tensor& w) {
  torch::nn::Module net;
  torch::nn::utils::vector_to_parameters(x, net.parameters());
  w.requires_grad_();
  x.requires_grad_(false);
  auto leaf = x.detach().requires_grad_();
  (x + w).t_();
  x.detach().requires_grad_(true);
  return leaf;
}

#define TURN(tensor) (tensor).t_()
GRAPHED(x: f32[2, 2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 't_' gives
  // CHECK: note: expanded from macro 'TURN'
  TURN(x);
}

template <bool Wanted>
void require(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:5: error: 'requires_grad_' changes
  // CHECK: note: called from 'in_a_template' here
  x.requires_grad_(Wanted);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { require<true>(x); }
GRAPHED(x: f32[2]) void in_a_safe_template(const torch::Tensor& x) { require<false>(x); }

GRAPHED(x: f32[2, 2]) void silenced(const torch::Tensor& x) {
  x.t_();  // graphgen: allow(graphed-metadata)
}
GRAPHED(x: f32[2, 2]; allow = graphed-metadata) void allowed(const torch::Tensor& x) { x.t_(); }
