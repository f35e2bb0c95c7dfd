// SPDX-License-Identifier: Apache-2.0
//
// Every type of parameter, by value and by reference, through typedefs.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

using Batch = std::vector<torch::Tensor>;
typedef double Real;
enum class Mode : char { A };
enum Old { B };

// CHECK-LABEL: "name": "tensors"
// CHECK: "name": "a",
// CHECK-NEXT: "type": "tensor"
// CHECK: "name": "b",
// CHECK-NEXT: "type": "tensor"
// CHECK: "name": "c",
// CHECK-NEXT: "type": "tensor lvalue"
// CHECK: "name": "d",
// CHECK-NEXT: "type": "optional tensor"
// CHECK: "name": "e",
// CHECK-NEXT: "type": "optional tensor"
// CHECK: "name": "f",
// CHECK-NEXT: "type": "vector of tensors"
// CHECK: "name": "g",
// CHECK-NEXT: "type": "vector of tensors"
// CHECK: "name": "h",
// CHECK-NEXT: "type": "reference to tensors"
GRAPHED(a: f32[2], b: f32[2], c: f32[2] inplace, d: f32[2], e: f32[2], f: f32[2] * 2, g: f32[2] * 2, h: f32[2] * 2)
void tensors(at::Tensor a, const torch::Tensor& b, torch::Tensor& c, std::optional<at::Tensor> d,
             const torch::optional<torch::Tensor>& e, Batch f, const std::vector<at::Tensor>& g, at::TensorList h);

// CHECK-LABEL: "name": "scalars"
// CHECK: "name": "a",
// CHECK-NEXT: "type": "bool"
// CHECK: "name": "b",
// CHECK-NEXT: "type": "integer"
// CHECK: "name": "c",
// CHECK-NEXT: "type": "integer"
// CHECK: "name": "d",
// CHECK-NEXT: "type": "floating point"
// CHECK: "name": "e",
// CHECK-NEXT: "type": "floating point"
// CHECK: "name": "f",
// CHECK-NEXT: "type": "enum"
// CHECK: "name": "g",
// CHECK-NEXT: "type": "enum"
// CHECK: "name": "h",
// CHECK-NEXT: "type": "string"
// CHECK: "name": "i",
// CHECK-NEXT: "type": "string"
GRAPHED(a: key, b: key, c: const, d: key, e: const, f: key, g: key, h: key, i: const)
void scalars(bool a, int64_t b, const unsigned char& c, float d, const Real& e, Mode f, Old g, const std::string& h, std::string_view i);

struct Resizing {
  std::vector<std::vector<int>> sizes;
  std::optional<Mode> mode;
  at::Device device;
};
// CHECK-LABEL: "name": "values"
// CHECK: "name": "a",
// CHECK-NEXT: "type": "list of values"
// CHECK-NEXT: "scalar": "key"
// CHECK: "name": "b",
// CHECK-NEXT: "type": "list of values"
// CHECK: "name": "c",
// CHECK-NEXT: "type": "list of values"
// CHECK-NEXT: "scalar": "const"
// CHECK: "name": "d",
// CHECK-NEXT: "type": "optional value"
// CHECK: "name": "e",
// CHECK-NEXT: "type": "optional value"
// CHECK: "name": "f",
// CHECK-NEXT: "type": "device"
// CHECK: "name": "g",
// CHECK-NEXT: "type": "optional value"
// CHECK: "name": "h",
// CHECK-NEXT: "type": "struct"
// CHECK: "name": "h.sizes",
// CHECK-NEXT: "type": "list of values"
// CHECK: "name": "h.mode",
// CHECK-NEXT: "type": "optional value"
// CHECK: "name": "h.device",
// CHECK-NEXT: "type": "device"
GRAPHED(a: key, b: key, c: const, d: key, e: key, f: key, g: key, h: {sizes: key, mode: key, device: const})
void values(std::vector<int64_t> a, at::IntArrayRef b, const std::vector<Real>& c, std::optional<bool> d,
            const std::optional<std::string>& e, at::Device f, std::optional<std::array<int, 2>> g, const Resizing& h);

struct Scaling {
  at::Scalar alpha;
};
// CHECK-LABEL: "name": "numbers"
// CHECK: "name": "a",
// CHECK-NEXT: "type": "number of any type"
// CHECK-NEXT: "scalar": "key"
// CHECK: "name": "b",
// CHECK-NEXT: "type": "number of any type"
// CHECK-NEXT: "scalar": "const"
// CHECK: "name": "c",
// CHECK-NEXT: "type": "optional value"
// CHECK: "name": "d",
// CHECK-NEXT: "type": "list of values"
// CHECK: "name": "e.alpha",
// CHECK-NEXT: "type": "number of any type"
GRAPHED(a: key, b: const, c: key, d: key, e: {alpha: key})
void numbers(const at::Scalar& a, torch::Scalar b, const std::optional<c10::Scalar>& c, at::ArrayRef<at::Scalar> d, const Scaling& e);

// CHECK-LABEL: "name": "reordered"
// CHECK: "name": "x",
// CHECK: "name": "n",
// CHECK: "name": "y",
GRAPHED(n: key, y: f32[3], x: f32[2]) void reordered(torch::Tensor x, int n, torch::Tensor y);
