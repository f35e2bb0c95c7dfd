// SPDX-License-Identifier: Apache-2.0
//
// Free functions: how generated code names them, and where they are.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK-LABEL: "callables": [
// CHECK: "name": "global"
GRAPHED(x: f32[2]) torch::Tensor global(const torch::Tensor& x);

namespace app::inner {
// CHECK: "name": "app::inner::nested"
GRAPHED(x: f32[2]) torch::Tensor nested(torch::Tensor x);
}

namespace app {
inline namespace v1 {
// CHECK: "name": "app::versioned"
GRAPHED(x: f32[2]) torch::Tensor versioned(torch::Tensor x) noexcept;
}
}

extern "C" {
// CHECK: "name": "c_linkage"
GRAPHED(x: f32[2] inplace) void c_linkage(at::Tensor& x);
}

// CHECK: "name": "defined"
GRAPHED(x: f32[2]) inline torch::Tensor defined(torch::Tensor x) { return x; }

// CHECK: "name": "no_parameters"
GRAPHED() torch::Tensor no_parameters();

// CHECK: "name": "deduced"
GRAPHED(x: f32[2]) inline auto deduced(torch::Tensor x) { return x; }

// CHECK: "name": "trailing"
GRAPHED(x: f32[2]) auto trailing(torch::Tensor x) -> torch::Tensor;
