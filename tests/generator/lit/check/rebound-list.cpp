// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are reached through lists of pointers and references.
// RUN: graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <array>
#include <functional>
#include <vector>

struct Cache : torch::nn::Module {
  GRAPHED(x: f32[2]) void reorders(const torch::Tensor& x) {
    for (auto* each : {&k, &v}) {
      // CHECK: rebound-list.cpp:[[#@LINE+2]]:13: warning: the member 'k' is assigned at the capture only, and then shows memory that each replay overwrites [graphed-rebound]
      // CHECK: :[[#@LINE+1]]:13: warning: the member 'v' is assigned
      *each = x.tanh();
    }
    torch::Tensor* array[] = {&k, &v};
    for (torch::Tensor* each : array) {
      // CHECK: :[[#@LINE+2]]:13: warning: the member 'k' is assigned
      // CHECK: :[[#@LINE+1]]:13: warning: the member 'v' is assigned
      *each = x.tanh();
    }
    const std::vector<torch::Tensor*> vector{&k};
    for (torch::Tensor* each : vector) {
      // CHECK: :[[#@LINE+1]]:13: warning: the member 'k' is assigned
      *each = x.tanh();
    }
    std::array<torch::Tensor*, 1> pair{&v};
    for (torch::Tensor* each : pair) {
      // CHECK: :[[#@LINE+1]]:13: warning: the member 'v' is assigned
      *each = x.tanh();
    }
    for (torch::Tensor& each : {std::ref(k), std::ref(v)}) {
      // CHECK: :[[#@LINE+2]]:12: warning: the member 'k' is assigned
      // CHECK: :[[#@LINE+1]]:12: warning: the member 'v' is assigned
      each = x.tanh();
    }
  }
  torch::Tensor k, v;
};

// CHECK: :[[#@LINE+2]]:89: warning: 'mul_' writes to the argument 'x', which the annotation does not mark 'inplace' [graphed-unmarked-write]
// CHECK: note: called from 'doubled' here
inline void doubles(torch::Tensor x, torch::Tensor y) { for (auto each : {x, y}) { each.mul_(2.0); } }
GRAPHED(x: f32[2], y: f32[2] inplace) void doubled(const torch::Tensor& x, torch::Tensor& y) { doubles(x, y); }

// Tensors of the call, and elements that are other tensors by then.
GRAPHED(x: f32[2], y: f32[2] inplace) void safe(const torch::Tensor& x, torch::Tensor& y) {
  auto a = x.tanh(), b = x.tanh();
  for (auto* each : {&a, &b}) {
    *each = x.tanh();
    each->mul_(2.0);
  }
  for (torch::Tensor each : {a, y}) {
    each.mul_(2.0);
  }
  std::vector<torch::Tensor> all{x, x};
  all[0] = x.tanh();
  all[0].mul_(2.0);
}
