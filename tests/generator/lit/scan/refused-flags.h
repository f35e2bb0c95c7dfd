// SPDX-License-Identifier: Apache-2.0
//
// Flags that a tensor cannot have.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+1]]:22: error: 'channels_last' is for tensors of 4 or 5 dimensions, but 'x' has 2 [graphed-flag]
GRAPHED(x: f32[2, 3] channels_last) void flat(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:19: error: only floating-point and complex tensors can require grad, but 'x' is i64 [graphed-dtype]
GRAPHED(x: i64[2] grad) void integers(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:19: error: a 'static' tensor is not copied and so cannot be padded, but 'x' has the padded dimension 'B' [graphed-flag]
GRAPHED(x: f32[B] static; B in {2} pad) void padded(torch::Tensor x);
