// SPDX-License-Identifier: Apache-2.0
//
// Why there is no annotation is told where the compiler says it.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s
// CHECK: annotate-missing.h:1:1: error: no GRAPHED declaration in this file [graphed-nothing-annotated]
// CHECK: annotate-missing.h:[[#@LINE+1]]:10: error: 'graphed/anotate.h' file not found
#include <graphed/anotate.h>
#include <torch/torch.h>
GRAPHED(x: f32[2])
torch::Tensor twice(const torch::Tensor& x);
