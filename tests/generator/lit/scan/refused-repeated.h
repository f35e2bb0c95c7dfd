// SPDX-License-Identifier: Apache-2.0
//
// Annotations of one declaration that contradict each other, or say the same.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+3]]:23: error: 'n' is 'const' here, but 'key' in the first annotation [graphed-repeated]
// CHECK: :[[#@LINE+1]]:23: note: 'n' is 'key' here
GRAPHED(x: f32[2], n: key)
GRAPHED(x: f32[4], n: const)
torch::Tensor classified(torch::Tensor x, int n);

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

// CHECK: :[[#@LINE+3]]:13: error: lists of another length than in the first annotation are not supported yet: 'xs' has 3 here [graphed-unsupported]
// CHECK: :[[#@LINE+1]]:13: note: 'xs' has 2 here
GRAPHED(xs: f32[2] * 2)
GRAPHED(xs: f32[2] * 3)
torch::Tensor counted(at::TensorList xs);
