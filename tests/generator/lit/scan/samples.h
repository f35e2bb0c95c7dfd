// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables, padding and several annotations of one callable.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
// RUN: graphgen --print %s %flags | FileCheck %s --check-prefix=CODE
// RUN: graphgen --check %s %flags | count 0
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=TOLD
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
constexpr int64_t kRows = 4;

// CODE: template <int64_t B, int64_t T>
// CODE-NEXT: struct sample {
// CODE-NEXT: static constexpr int64_t x_shape[] = {B, 8 * B + 1, 12, T};
// CODE: {"T", T, graphed::impl::PadFill::Zero},
// CODE: {/*tensor=*/0, /*dim=*/3, /*variable=*/0},
// CODE: {sample<1, 2>::tensors, /*lists=*/{}, sample<1, 2>::padded, sample<1, 2>::padded_dims},
// CODE-NEXT: {sample<16, 2>::tensors, /*lists=*/{}, sample<16, 2>::padded, sample<16, 2>::padded_dims},
// CHECK-LABEL: "name": "app::sized"
// CHECK: "variables": [
// CHECK: "name": "B",
// CHECK-NEXT: "values": [1, 16]
// CHECK: "name": "T",
// CHECK-NEXT: "values": [2],
// CHECK-NEXT: "pad": "zero"
// CHECK: "shape": ["B", "8 * B + 1", 12, "T"],
GRAPHED(x: f32[B, 2 * kRows * B + 1, 3 * kRows, T]; B in {kRows * kRows, 1}, T in {2} pad)
torch::Tensor sized(torch::Tensor x);

// Lists of other lengths in another annotation.
// CHECK-LABEL: "name": "app::listed"
// CHECK: "name": "xs",
// CHECK-NEXT: "type": "reference to tensors"
// CHECK-NEXT: },
// CHECK: "name": "xs[1]"
// CHECK-NOT: "name": "xs[2]"
// CHECK: "lists": [
// CHECK: "name": "xs",
// CHECK-NEXT: "count": 2
// CHECK: "name": "xs[2]"
// CHECK: "count": 3
// CODE: {"xs", /*count=*/2},
// CODE: {"xs", /*count=*/3},
// CODE: auto captured_xs = arguments.xs.vec();
// CODE: std::size_t captured_y = 0;
// CODE: visit_arguments(refill, captured_xs, captured_y);
// CODE: return ::app::listed(captured_xs, in[captured_y]);
GRAPHED(xs: f32[2] * 2, y: f32[2])
GRAPHED(xs: f32[2] * 3, y: f32[2])
torch::Tensor listed(at::TensorList xs, torch::Tensor y);

// A list of each length has samples of its own, and one may be empty.
// CHECK-LABEL: "name": "app::counted"
// CHECK: "annotation": "GRAPHED(xs: f32[B, N + 1] * N; N in {0, 2}, B in {1, 3})"
// CHECK-NEXT: "tensors": [],
// CHECK: "count": 0
// CHECK: "variables": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "B",
// CHECK: "name": "xs[1]",
// CHECK-NEXT: "dtype": "f32",
// CHECK-NEXT: "shape": ["B", 3],
// CHECK: "count": 2
// CODE: struct sample1 {
// CODE-NEXT: static constexpr graphed::impl::ListSpec lists[] = {
// CODE-NEXT: {"xs", /*count=*/0},
// CODE: struct sample2 {
// CODE: {"xs", /*count=*/2},
// CODE: {{[{]}}{}, sample1::lists},
// CODE-NEXT: {sample2<1>::tensors, sample2<1>::lists},
// TOLD: inputs of GRAPHED(xs: {{.*}}), at N = 0
// TOLD-NEXT: in all {{.*}} 0 B
// TOLD: inputs of GRAPHED(xs: {{.*}}), at B = 3, N = 2
// TOLD: captures
// TOLD-NEXT: B is 1, 3
// TOLD-NEXT: N is 0, 2
// TOLD-NEXT: one for each of 3 sizes,
// TOLD: - xs holds another number of elements than 0 or 2
GRAPHED(xs: f32[B, N + 1] * N; N in {0, 2}, B in {1, 3})
torch::Tensor counted(at::TensorList xs);

struct Model {
  // CHECK-LABEL: "name": "app::Model::forward"
  // CHECK: "annotation": "GRAPHED(x: f32[2], n: key; slots = 3)"
  // CHECK: "shape": [2],
  // CHECK: "annotation": "GRAPHED(n: key, x: f64[B] grad; B in {1, 8} pad repeat, slots = 2 + 1, strict)"
  // CHECK: "shape": ["B"],
  // CHECK: "annotation": "GRAPHED(x: f32[], n: key)"
  // CHECK: "shape": [],
  // CHECK: "strict": true,
  // CHECK-NEXT: "slots": 3,
  GRAPHED(x: f32[2], n: key; slots = 3)
  GRAPHED(n: key, x: f64[B] grad; B in {1, 8} pad repeat, slots = 2 + 1, strict)
  GRAPHED(x: f32[], n: key)
  torch::Tensor forward(torch::Tensor x, int n);
};
}  // namespace app
