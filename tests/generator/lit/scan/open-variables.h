// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables whose values calls provide: the plan, the tables and what --explain shows.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
// RUN: graphgen --print %s %flags | FileCheck %s --check-prefix=CODE
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=TOLD
// RUN: graphgen --check %s %flags | count 0
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
constexpr int64_t kMost = 4;

// CODE: template <int64_t T>
// CODE-NEXT: struct sample {
// CODE-NEXT: static constexpr int64_t x_shape[] = {graphed::impl::open_extent, 8};
// CODE-NEXT: static constexpr int64_t y_shape[] = {graphed::impl::open_extent, T, graphed::impl::open_extent};
// CODE: static constexpr graphed::impl::OpenVariable open[] = {
// CODE-NEXT: {"B", /*number=*/0, /*at_most=*/4, /*tensor=*/0, /*dim=*/0},
// CODE-NEXT: {"n", /*number=*/1, /*at_most=*/2, /*tensor=*/1, /*dim=*/2},
// CODE-NEXT: };
// CODE-NEXT: static constexpr graphed::impl::OpenDim open_dims[] = {
// CODE-NEXT: {/*tensor=*/0, /*dim=*/0, "B", [](const graphed::impl::Extent* values) { return values[0]; }},
// CODE-NEXT: {/*tensor=*/1, /*dim=*/0, "2 * B + n * T", [](const graphed::impl::Extent* values) { return 2 * values[0] + values[1] * T; }},
// CODE-NEXT: {/*tensor=*/1, /*dim=*/2, "n", [](const graphed::impl::Extent* values) { return values[1]; }},
// CODE-NEXT: };
// CODE: {sample<16>::tensors, /*lists=*/{}, /*padded=*/{}, /*padded_dims=*/{}, sample<16>::open, sample<16>::open_dims},
// CODE-NEXT: {sample<32>::tensors, /*lists=*/{}, /*padded=*/{}, /*padded_dims=*/{}, sample<32>::open, sample<32>::open_dims},
// CHECK-LABEL: "name": "app::joined"
// CHECK: "variables": [
// CHECK: "name": "B",
// CHECK-NEXT: "at_most": 4
// CHECK: "name": "n",
// CHECK-NEXT: "at_most": 2
// CHECK: "name": "T",
// CHECK-NEXT: "values": [16, 32]
// CHECK: "shape": ["B", 8],
// CHECK: "shape": ["2 * B + n * T", "T", "n"],
// TOLD-LABEL: app::joined
// TOLD: inputs of GRAPHED(x: f32[B, 8], y: f32[2 * B + n * T, T, n]; B in any kMost, n in any 2, T in {32, 16}), at T = 32
// TOLD-NEXT: x {{ *}}f32[B, 8] {{ *}}32 B for each B {{ *}}copied in
// TOLD-NEXT: y {{ *}}f32[2 * B + n * 32, 32, n] {{ *}}128 B for each (2 * B + n * 32) * n {{ *}}copied in
// TOLD-NEXT: in all {{.*}}128 B for each (2 * B + n * 32) * n and 32 B for each B
// TOLD: B is what the first calls use, at most 4 values
// TOLD-NEXT: n is what the first calls use, at most 2 values
// TOLD-NEXT: T is 16, 32
// TOLD-NEXT: one for each of at most 16 sizes
// TOLD: - x is not f32[B, 8]
// TOLD: - y is not f32[2 * B + n * 16, 16, n] or f32[2 * B + n * 32, 32, n]
// TOLD: - B is none of the first 4 values that calls used
// TOLD: - n is none of the first 2 values that calls used
GRAPHED(x: f32[B, 8], y: f32[2 * B + n * T, T, n]; B in any kMost, n in any 2, T in {32, 16})
torch::Tensor joined(torch::Tensor x, torch::Tensor y);

// Each annotation has variables of its own; without known ones no template is needed.
// CODE-LABEL: struct sample1 {
// CODE: {"B", /*number=*/0, /*at_most=*/1, /*tensor=*/0, /*dim=*/0},
// CODE: struct sample2 {
// CODE: {"B", /*number=*/1, /*at_most=*/3, /*tensor=*/0, /*dim=*/1},
// CODE: {sample1::tensors, /*lists=*/{}, /*padded=*/{}, /*padded_dims=*/{}, sample1::open, sample1::open_dims},
// CODE-NEXT: {sample2::tensors, /*lists=*/{}, /*padded=*/{}, /*padded_dims=*/{}, sample2::open, sample2::open_dims},
// TOLD-LABEL: app::of_two
// TOLD: one for each of at most 4 sizes
GRAPHED(x: f32[B]; B in any 1)
GRAPHED(x: f32[2, B]; B in any 3)
torch::Tensor of_two(torch::Tensor x);

// A tensor without open dimensions has its bytes alone.
// TOLD-LABEL: app::of_weights
// TOLD: w {{ *}}f32[256, 2] {{ *}}2.0 KiB
// TOLD: in all {{.*}}2.0 KiB and 1.0 KiB for each B
GRAPHED(x: f32[B, 256], w: f32[256, 2]; B in any 3)
torch::Tensor of_weights(torch::Tensor x, torch::Tensor w);
}  // namespace app
