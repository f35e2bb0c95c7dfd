// SPDX-License-Identifier: Apache-2.0
//
// A value that the annotation does not mention would be frozen.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

enum class Mode { Sum, Mean };

// CHECK: :[[#@LINE+7]]:54: error: parameter 'causal' of type 'bool' is not in the annotation: a capture would freeze its value [graphed-unmarked-parameter]
// CHECK: :[[#@LINE+5]]:22: note: 'causal: key' captures one graph for each value
// CHECK: fix-it:"{{.*}}":{[[#@LINE+4]]:22-[[#@LINE+4]]:22}:", causal: key"
// CHECK: :[[#@LINE+3]]:22: note: 'causal: const' keeps the first call's value; another is an error
// CHECK: fix-it:"{{.*}}":{[[#@LINE+2]]:22-[[#@LINE+2]]:22}:", causal: const"
// CHECK: error: parameter 'mode' of type 'Mode' is not in the annotation: a capture would freeze its value [graphed-unmarked-parameter]
GRAPHED(x: f32[2, 64]; strict)
torch::Tensor attention(const torch::Tensor& x, bool causal, Mode mode = Mode::Sum);

// CHECK: :[[#@LINE+5]]:16: error: parameter 'n' of type 'int' is not in the annotation: a capture would freeze its value [graphed-unmarked-parameter]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+3]]:9-[[#@LINE+3]]:9}:"n: key"
// CHECK: fix-it:"{{.*}}":{[[#@LINE+2]]:9-[[#@LINE+2]]:9}:"n: const"
// CHECK: :[[#@LINE+2]]:16: note: a value that each call changes is a 'const graphed::Scalar &', marked 'live'; one that the callable does not use is marked 'ignore'
GRAPHED()
void alone(int n);

// CHECK: :[[#@LINE+5]]:35: error: parameter 'alpha' of type 'const at::Scalar &' is not in the annotation: a capture would freeze its value [graphed-unmarked-parameter]
// CHECK: note: 'alpha: key' captures one graph for each value
// CHECK: note: 'alpha: const' keeps the first call's value; another is an error
// CHECK: note: a value that each call changes is a 'const graphed::Scalar &', marked 'live'; one that the callable does not use is marked 'ignore'
GRAPHED()
void any_number(const at::Scalar& alpha);

GRAPHED(x: f32[2], eps: const, s: key) void marked(torch::Tensor x, double eps, const std::string& s);
