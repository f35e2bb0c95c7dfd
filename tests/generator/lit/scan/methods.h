// SPDX-License-Identifier: Apache-2.0
//
// Methods: their object, their qualifiers, operator().
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
struct Model {
  // CHECK: "name": "app::Model::make"
  // CHECK-NEXT: "kind": "static method"
  GRAPHED(x: f32[2]) static torch::Tensor make(torch::Tensor x);

  // CHECK: "name": "app::Model::plain"
  // CHECK-NEXT: "kind": "method"
  // CHECK: "object": "app::Model"
  // CHECK: "module": false
  GRAPHED(x: f32[2]) torch::Tensor plain(torch::Tensor x);

  // CHECK: "name": "app::Model::constant"
  GRAPHED(x: f32[2]) torch::Tensor constant(torch::Tensor x) const;

  // CHECK: "name": "app::Model::on_lvalue"
  GRAPHED(x: f32[2]) torch::Tensor on_lvalue(torch::Tensor x) &;

  // CHECK: "name": "app::Model::on_const_lvalue"
  GRAPHED(x: f32[2]) torch::Tensor on_const_lvalue(torch::Tensor x) const&;

  // CHECK: "name": "app::Model::nothrow"
  GRAPHED(x: f32[2]) torch::Tensor nothrow(torch::Tensor x) noexcept;

  // CHECK: "name": "app::Model::pure"
  GRAPHED(x: f32[2]) virtual torch::Tensor pure(torch::Tensor x) = 0;

  // CHECK: "name": "app::Model::Inner::operator()"
  // CHECK: "object": "app::Model::Inner"
  struct Inner {
    GRAPHED(x: f32[2]) torch::Tensor operator()(torch::Tensor x) const;
  };
};

struct Derived final : Model {
  // CHECK: "name": "app::Derived::pure"
  GRAPHED(x: f32[4]) torch::Tensor pure(torch::Tensor x) override;
};

struct Outside {
  torch::Tensor defined(torch::Tensor x);
};
// CHECK: "name": "app::Outside::defined"
GRAPHED(x: f32[2]) inline torch::Tensor Outside::defined(torch::Tensor x) { return x; }
}  // namespace app
