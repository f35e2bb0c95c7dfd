// SPDX-License-Identifier: Apache-2.0
//
// Errors of one callable hide none of another's, of whatever kind.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK-DAG: :[[#@LINE+1]]:19: error: only floating-point and complex tensors can require grad, but 'x' is i64 [graphed-dtype]
GRAPHED(x: i64[2] grad) torch::Tensor wrong_flag(const torch::Tensor& x);
// CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}}: error: expected ']' {{.*}} [graphed-syntax]
GRAPHED(x: f32[2) torch::Tensor wrong_text(const torch::Tensor& x);
// CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}}: error: parameter 'on' {{.*}} [graphed-unmarked-parameter]
GRAPHED(x: f32[2]) torch::Tensor unmarked(const torch::Tensor& x, bool on);
// CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}}: error: parameter 'y' {{.*}} [graphed-mismatch]
GRAPHED(x: f32[2]) torch::Tensor missing(const torch::Tensor& x, const torch::Tensor& y);
// CHECK-DAG: :[[#@LINE+2]]:{{[0-9]+}}: error: only floating-point {{.*}} [graphed-dtype]
// CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}}: error: 'item' reads {{.*}} [graphed-host-item]
GRAPHED(x: i8[2] grad) inline void wrong_body_too(const torch::Tensor& x) { x.item<float>(); }
// CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}}: error: the result {{.*}} [graphed-result-type]
GRAPHED(x: i8[2] grad) char* wrong_result(const torch::Tensor& x);
