// SPDX-License-Identifier: Apache-2.0
//
// What generated code names may be deprecated. Clang loses the attribute of this one, and so no file goes without the pragma.
// RUN: graphgen --print %s %flags | FileCheck %s
// CHECK: // {{.*}}deprecated.graphed.h
// CHECK: #pragma GCC diagnostic push
// CHECK-NEXT: #pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// CHECK: class graphed::callable<
// CHECK: #pragma GCC diagnostic pop
// CHECK: // {{.*}}deprecated.graphed.cpp
// CHECK: #pragma GCC diagnostic push
// CHECK-NEXT: #pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// CHECK: graphed::callable<
// CHECK: #pragma GCC diagnostic pop
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
namespace old {
GRAPHED(x: f32[2]) [[deprecated("use another")]] torch::Tensor f(const torch::Tensor& x);
}
