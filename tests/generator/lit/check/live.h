// SPDX-License-Identifier: Apache-2.0
//
// 'live' and graphed::Scalar, which may be a class that is only declared, belong together.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace graphed {
class Scalar;
}
enum class Mode { Sum, Mean };

// CHECK: :[[#@LINE+2]]:24: error: parameter 'lr' is not a graphed::Scalar, which 'live' needs: declare it 'const graphed::Scalar &', or mark it 'key' or 'const' [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: note: 'lr' is declared here with type 'double'
GRAPHED(x: f32[2], lr: live) void number(torch::Tensor x, double lr);

// CHECK: :[[#@LINE+2]]:15: error: parameter 'mode' is not a graphed::Scalar, which 'live' needs: it takes 'key' or 'const' [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: note: 'mode' is declared here with type 'Mode'
GRAPHED(mode: live) void enumerator(Mode mode);

// CHECK: :[[#@LINE+1]]:16: error: parameter 'alpha' is not a graphed::Scalar, which 'live' needs: declare it 'const graphed::Scalar &', or mark it 'key' or 'const' [graphed-mismatch]
GRAPHED(alpha: live) void any_number(const at::Scalar& alpha);

// CHECK: :[[#@LINE+4]]:13: error: parameter 'lr' is a graphed::Scalar, which the graph reads in every call: it takes 'live' [graphed-mismatch]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+3]]:13-[[#@LINE+3]]:16}:"live"
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: note: 'lr' is declared here with type 'const graphed::Scalar &'
// CHECK: error: parameter 'eps' is a graphed::Scalar, which the graph reads in every call: it takes 'live' [graphed-mismatch]
GRAPHED(lr: key, eps: const) void frozen(const graphed::Scalar& lr, const graphed::Scalar& eps);

// CHECK: :[[#@LINE+1]]:13: error: parameter 'lr' is not a tensor: it takes 'live' [graphed-mismatch]
GRAPHED(lr: f32[]) void tensor(const graphed::Scalar& lr);

// CHECK: :[[#@LINE+1]]:12: error: parameter 'x' holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]' [graphed-mismatch]
GRAPHED(x: live) void on_a_tensor(torch::Tensor x);

// CHECK: error: parameter 'lr' of type 'const graphed::Scalar &' is not in the annotation: a capture would freeze its value [graphed-unmarked-parameter]
// CHECK: note: 'lr: live' lets the graph read each call's value
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:9-[[#@LINE+1]]:9}:"lr: live"
GRAPHED() void unmarked(const graphed::Scalar& lr);

GRAPHED(lr: live) void right(const graphed::Scalar& lr);
