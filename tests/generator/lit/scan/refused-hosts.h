// SPDX-License-Identifier: Apache-2.0
//
// Tensors in the memory of the host, where they cannot be.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <vector>

// CHECK-DAG: :[[#@LINE+1]]:19: error: a 'host' tensor is copied to the device by each call, so 'x' cannot be 'grad' [graphed-flag]
GRAPHED(x: f32[2] host grad) torch::Tensor with_grad(const torch::Tensor& x);
// CHECK-DAG: :[[#@LINE+1]]:19: error: a 'host' tensor is copied to the device by each call, so 'x' cannot be 'inplace' [graphed-flag]
GRAPHED(x: f32[2] host inplace) torch::Tensor written(torch::Tensor& x);
// CHECK-DAG: :[[#@LINE+1]]:31: error: results in the memory of the host have no history: with 'outputs = host', 'w' cannot be 'grad' [graphed-flag]
GRAPHED(x: f32[2], w: f32[2]  grad; outputs = host) torch::Tensor with_history(torch::Tensor x, torch::Tensor w);

// CHECK-DAG: :[[#@LINE+2]]:19: error: parameter 'x' is a 'Tensor &', which the callable may assign: a 'host' tensor is taken by value or by reference to const [graphed-mismatch]
// CHECK-DAG: note: 'x' is declared here with type '{{.*}}'
GRAPHED(x: f32[2] host) torch::Tensor assigned(torch::Tensor& x);
// CHECK-DAG: :[[#@LINE+1]]:20: error: 'outputs = host' is for a callable that assigns no argument, but it may assign 'x': take it by value, or by reference to const, and return it [graphed-mismatch]
GRAPHED(x: f32[2]; outputs = host) torch::Tensor assigns(torch::Tensor& x);

struct Batch {
  torch::Tensor x, y;
};
// CHECK-DAG: :[[#@LINE+2]]:23: error: member 'b.x' is in an argument that the callable may assign: one with 'host' tensors is taken by value or by reference to const [graphed-mismatch]
// CHECK-DAG: note: 'b' is declared here with type '{{.*}}'
GRAPHED(b: {x: f32[2] host, y: f32[2]}) torch::Tensor changed(Batch& b);
// CHECK-DAG: :[[#@LINE+2]]:37: error: parameter 'ps' holds 'host' tensors, which are the same ones in each of its elements [graphed-mismatch]
// CHECK-DAG: note: 'ps' is declared here with type '{{.*}}'
GRAPHED(ps: {{f32[2] host, f32[2]}, {f32[2], f32[2]}}) torch::Tensor mixed(std::vector<std::pair<torch::Tensor, torch::Tensor>> ps);

// CHECK-DAG: :[[#@LINE+3]]:12: error: 'x' is not 'host' here, but 'host' in the first annotation [graphed-repeated]
// CHECK-DAG: :[[#@LINE+1]]:12: note: 'x' is 'host' here
GRAPHED(x: f32[2] host)
GRAPHED(x: f32[4])
torch::Tensor both(const torch::Tensor& x);
