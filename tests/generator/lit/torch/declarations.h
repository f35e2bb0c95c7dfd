// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's own types and aliases are what the generator takes them for.
// REQUIRES: torch
// RUN: graphgen --dump-plan %s %libtorch_flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

enum class Reduction { Sum, Mean };

// CHECK-LABEL: "name": "tensors"
// CHECK: "type": "tensor lvalue",
// CHECK: "type": "vector of tensors",
// CHECK: "type": "integer",
// CHECK: "type": "enum",
// CHECK: "type": "tensor",
// CHECK: "default": "{}"
// CHECK: "type": "optional tensor",
// CHECK: "default": "{}"
// CHECK: "type": "optional tensor",
// CHECK: "default": "{}"
// CHECK: "type": "reference to tensors",
// CHECK: "default": "{}"
GRAPHED(a: f32[2], b: f32[2] inplace, c: f32[2], d: f32[2], e: f32[2] * 2, f: f32[2] * 2, n: key, r: const)
std::tuple<at::Tensor, torch::Tensor> tensors(torch::Tensor& b, const std::vector<torch::Tensor>& e, int64_t n, Reduction r,
                                              const torch::Tensor& a = {}, std::optional<torch::Tensor> c = std::nullopt,
                                              const c10::optional<at::Tensor>& d = c10::nullopt, at::TensorList f = {});

// CHECK-LABEL: "name": "app::NetImpl::forward"
// CHECK: "module": true
namespace app {
struct NetImpl : torch::nn::Cloneable<NetImpl> {
  void reset() override {}
  GRAPHED(x: f32[8, 16]) torch::Tensor forward(const torch::Tensor& x);
};
TORCH_MODULE(Net);
}  // namespace app
