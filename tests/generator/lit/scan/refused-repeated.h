// SPDX-License-Identifier: Apache-2.0
//
// Annotations of one declaration that contradict each other, or say the same.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <map>

// CHECK: :[[#@LINE+3]]:23: error: 'n' is 'const' here, but 'key' in the first annotation [graphed-repeated]
// CHECK: :[[#@LINE+1]]:23: note: 'n' is 'key' here
GRAPHED(x: f32[2], n: key)
GRAPHED(x: f32[4], n: const)
torch::Tensor classified(torch::Tensor x, int n);

// CHECK: :[[#@LINE+5]]:23: error: 'y' is 'inplace' here, but neither 'out' nor 'inplace' in the first annotation [graphed-repeated]
// CHECK: :[[#@LINE+3]]:23: note: 'y' is neither 'out' nor 'inplace' here
// CHECK: :[[#@LINE+3]]:42: error: 'z' is neither 'out' nor 'inplace' here, but 'out' in the first annotation [graphed-repeated]
// CHECK: :[[#@LINE+1]]:34: note: 'z' is 'out' here
GRAPHED(x: f32[2], y: f32[2], z: out)
GRAPHED(x: f32[4], y: f32[4] inplace, z: f32[4])
void given_back(torch::Tensor x, torch::Tensor& y, torch::Tensor& z);

// CHECK: :[[#@LINE+4]]:20: error: options hold for all annotations of a callable, but 'warmup' is 3 here and 2 in an earlier one [graphed-repeated]
// CHECK: :[[#@LINE+2]]:20: note: 'warmup' is 2 here
GRAPHED(x: f32[2])
GRAPHED(x: f32[4]; warmup = 1 + 1, strict)
GRAPHED(x: f32[8]; warmup = 3)
torch::Tensor optioned(torch::Tensor x);

// CHECK: :[[#@LINE+4]]:9: error: this annotation of 'same' is given twice [graphed-repeated]
// CHECK: :[[#@LINE+2]]:9: note: the first is here
GRAPHED(x: f32[3])
GRAPHED(x: f32[2])
GRAPHED(x: f32[2] )
torch::Tensor same(torch::Tensor x);

// CHECK: :[[#@LINE+3]]:32: error: no call of 'sized' can choose this annotation where B is 4: the first that matches is taken, and an earlier one has the same shapes [graphed-repeated]
// CHECK: :[[#@LINE+1]]:9: note: the earlier one is here, where T is 4
GRAPHED(x: f32[T, 8]; T in {4, 8})
GRAPHED(x: f32[B, 8]; B in {1, 4})
torch::Tensor sized(torch::Tensor x);

// CHECK: :[[#@LINE+4]]:9: error: no call of 'shaped' can choose this annotation: {{.*}} [graphed-repeated]
// CHECK: :[[#@LINE+1]]:9: note: the earlier one is here
GRAPHED(xs: f32[2] * 2, y: f32[4] optional)
GRAPHED(xs: f32[2] * 3, y: f32[4])
GRAPHED(xs: f32[2] * 2, y: f32[2 + 2])
torch::Tensor shaped(at::TensorList xs, torch::Tensor y);

// CHECK: :[[#@LINE+2]]:9: error: no call of 'flattened' can choose this annotation where B is 2 and T is 1: {{.*}} [graphed-repeated]
// CHECK: :[[#@LINE+1]]:9: note: the earlier one is here, where B is 1 and T is 2
GRAPHED(x: f32[B * T]; B in {1, 2}, T in {1, 2})
torch::Tensor flattened(torch::Tensor x);

// CHECK: :[[#@LINE+3]]:12: error: members other than in the first annotation are not supported yet [graphed-unsupported]
// CHECK: :[[#@LINE+1]]:12: note: the first annotation is here
GRAPHED(m: {x: f32[2]})
GRAPHED(m: {y: f32[2]})
torch::Tensor keyed(std::map<std::string, torch::Tensor> m);
