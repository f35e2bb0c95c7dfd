// SPDX-License-Identifier: Apache-2.0
//
// The plan gives the function type only where the name alone is not enough. Generated code names a function in a namespace by its type
// always, because another header may overload it.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
// RUN: graphgen --print %s %flags | FileCheck %s --check-prefix=CODE
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
// CODE: namespace graphed::alone_glue_of_app_in_overloads {
// CODE: return graphed::overload<at::Tensor (const at::Tensor &)>(&::app::alone);
// CODE: class graphed::callable<graphed::alone_glue_of_app_in_overloads::function()> {
GRAPHED(x: f32[2]) torch::Tensor alone(const torch::Tensor& x) noexcept;
torch::Tensor alone(const torch::Tensor& x) noexcept;

// CHECK: "name": "app::generic"
// CHECK: "overload": "at::Tensor (at::Tensor)"
GRAPHED(x: f32[2]) torch::Tensor generic(torch::Tensor x);
template <class T>
T generic(T x);

class Owner {
  struct Both {
    torch::Tensor first, second;
  };
  // Its type cannot be named outside of the class.
  // CODE: class graphed::callable<&::app::friendly> {
  friend Both friendly(torch::Tensor x);
};
GRAPHED(x: f32[2]) Owner::Both friendly(torch::Tensor x);

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
