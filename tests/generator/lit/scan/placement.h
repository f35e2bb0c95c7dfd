// SPDX-License-Identifier: Apache-2.0
//
// Where the macro may stand, and how its text may be laid out.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: "name": "a"
static_assert(true);
[[nodiscard]] GRAPHED(x: f32[2]) torch::Tensor a(torch::Tensor x);

// CHECK: "name": "b"
inline GRAPHED(x: f32[2]) torch::Tensor b(torch::Tensor x) { return x; }

// CHECK: "name": "c"
// CHECK: "annotation": "GRAPHED(x: f32[2, 3] grad, n: key; warmup = 5, strict)"
GRAPHED(
    x : f32[2,  // rows
            3] grad,
    n : key; /* the options */ warmup = 5,
    strict)
torch::Tensor c(torch::Tensor x,
                int n);

#define MY_GRAPHED(...) GRAPHED(__VA_ARGS__)
// CHECK: "name": "d"
MY_GRAPHED(x: f32[2]) torch::Tensor d(torch::Tensor x);

#define DECLARE(name, rows) GRAPHED(x: f32[rows]) torch::Tensor name(torch::Tensor x);
// CHECK: "name": "e"
// CHECK: "shape": [6]
DECLARE(e, 6)
// CHECK: "name": "f"
// CHECK: "shape": [7]
DECLARE(f, 7)

// CHECK: "name": "g"
GRAPHED(x: f32[1'024]) torch::Tensor g(torch::Tensor x);

#if 0
GRAPHED(this is not read) torch::Tensor h(torch::Tensor x);
#endif
// CHECK: "line": 39
// CHECK-NOT: "line"
