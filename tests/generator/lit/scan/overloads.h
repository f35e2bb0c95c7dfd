// SPDX-License-Identifier: Apache-2.0
//
// The function type is given only where the name alone is not enough.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
// CHECK: "name": "app::f"
// CHECK: "overload": "at::Tensor (const at::Tensor &)"
GRAPHED(x: f32[2]) torch::Tensor f(const torch::Tensor& x);
torch::Tensor f(const torch::Tensor& x, const torch::Tensor& y);

// CHECK: "name": "app::alone"
// CHECK-NOT: "overload"
GRAPHED(x: f32[2]) torch::Tensor alone(const torch::Tensor& x);
torch::Tensor alone(const torch::Tensor& x);

// CHECK: "name": "app::generic"
// CHECK: "overload": "at::Tensor (at::Tensor)"
GRAPHED(x: f32[2]) torch::Tensor generic(torch::Tensor x);
template <class T>
T generic(T x);

struct Model {
  // CHECK: "name": "app::Model::at"
  // CHECK: "overload": "std::tuple<at::Tensor, at::Tensor> (std::vector<at::Tensor>, bool) const"
  GRAPHED(xs: f32[2] * 2, flag: key)
  std::tuple<torch::Tensor, torch::Tensor> at(std::vector<torch::Tensor> xs, bool flag) const noexcept;
  void at();

  // CHECK: "name": "app::Model::on"
  // CHECK: "overload": "void (at::Tensor) const &"
  GRAPHED(x: f32[2]) void on(torch::Tensor x) const&;
  void on(torch::Tensor x) &;
};

// CHECK: "name": "app::counted"
// CHECK: "overload": "at::Tensor (at::Tensor, int64_t, uint64_t, long long, unsigned long long)"
GRAPHED(x: f32[2], a: key, b: key, c: key, d: key)
torch::Tensor counted(torch::Tensor x, int64_t a, const uint64_t b, long long c, unsigned long long d);
torch::Tensor counted();
}  // namespace app
