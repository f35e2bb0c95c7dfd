// SPDX-License-Identifier: Apache-2.0
//
// Dims that name macros: their values where the annotation stands.
// RUN: graphgen --dump-plan %s %flags -DOF_THE_COMMAND_LINE=12 -DWITHOUT_VALUE | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#define BATCH 64
#define HALF (BATCH / 2)
#define SEPARATED 1'024UL
#define BELOW -3
#define CONSTANT config::kRows
namespace config {
constexpr int kRows = 5;
enum { itself = 9 };
}  // namespace config
static const int kStatic = 33;
static const long kComputed = kStatic * 2;

// CHECK-LABEL: "name": "simple"
// CHECK: "shape": [64, 32]
// CHECK: "shape": [1024, 12, 1]
// CHECK: "shape": [3, 5]
GRAPHED(x: f32[BATCH, HALF], y: f32[SEPARATED, OF_THE_COMMAND_LINE, WITHOUT_VALUE], z: f32[-BELOW, CONSTANT])
void simple(torch::Tensor x, torch::Tensor y, torch::Tensor z);

// CHECK-LABEL: "name": "computed"
// CHECK: "shape": [33, 66, 128]
GRAPHED(x: f32[kStatic, kComputed, HALF * 4]; warmup = (BATCH + 1)) void computed(torch::Tensor x);

// A macro hides the constant whose name it has, as it does in C++.
constexpr int kHidden = 1;
#define kHidden 77
// CHECK-LABEL: "name": "hidden"
// CHECK: "shape": [77]
GRAPHED(x: f32[kHidden]) void hidden(torch::Tensor x);
#undef kHidden
// CHECK-LABEL: "name": "seen"
// CHECK: "shape": [1]
GRAPHED(x: f32[kHidden]) void seen(torch::Tensor x);

namespace config {
#define itself itself
// CHECK-LABEL: "name": "config::by_itself"
// CHECK: "shape": [9]
GRAPHED(x: f32[itself]) void by_itself(torch::Tensor x);
}  // namespace config

// The same definition again is no other value; neither is one that came before.
#define TWICE 8
#undef TWICE
#define TWICE 16
#define ANNOTATED(n) GRAPHED(x: f32[n, TWICE])
// CHECK-LABEL: "name": "by_macro"
// CHECK: "shape": [64, 16]
ANNOTATED(BATCH) void by_macro(torch::Tensor x);
#undef TWICE
#define TWICE 16
