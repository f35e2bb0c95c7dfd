// SPDX-License-Identifier: Apache-2.0
//
// Why there is no annotation is reported where the compiler says it, and not that there is none.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: annotate-missing.h:[[#@LINE+1]]:10: error: 'graphed/anotate.h' file not found
#include <graphed/anotate.h>
#include <torch/torch.h>
GRAPHED(x: f32[2])
torch::Tensor twice(const torch::Tensor& x);
