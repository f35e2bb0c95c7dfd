// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables, padding and several annotations of one callable.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
constexpr int64_t kRows = 4;

// CHECK-LABEL: "name": "app::sized"
// CHECK: "variables": [
// CHECK: "name": "B",
// CHECK-NEXT: "values": [1, 16]
// CHECK: "name": "T",
// CHECK-NEXT: "values": [2],
// CHECK-NEXT: "pad": "zero"
// CHECK: "shape": ["B", "8 * B + 1", 12, "T"],
GRAPHED(x: f32[B, 2 * kRows * B + 1, 3 * kRows, T]; B in {kRows * kRows, 1}, T in {2} pad)
torch::Tensor sized(torch::Tensor x);

struct Model {
  // CHECK-LABEL: "name": "app::Model::forward"
  // CHECK: "annotation": "GRAPHED(x: f32[2], n: key; slots = 3)"
  // CHECK: "shape": [2],
  // CHECK: "annotation": "GRAPHED(n: key, x: f64[B] grad; B in {1, 8} pad repeat, slots = 2 + 1, strict)"
  // CHECK: "shape": ["B"],
  // CHECK: "annotation": "GRAPHED(x: f32[], n: key)"
  // CHECK: "shape": [],
  // CHECK: "strict": true,
  // CHECK-NEXT: "slots": 3,
  GRAPHED(x: f32[2], n: key; slots = 3)
  GRAPHED(n: key, x: f64[B] grad; B in {1, 8} pad repeat, slots = 2 + 1, strict)
  GRAPHED(x: f32[], n: key)
  torch::Tensor forward(torch::Tensor x, int n);
};
}  // namespace app
