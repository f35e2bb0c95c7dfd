// SPDX-License-Identifier: Apache-2.0
//
// Names in dims are looked up from the declaration outwards.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

constexpr int64_t kWidth = 1;
constexpr int kLater = 1;
namespace config {
constexpr int kWidth = 100;
constexpr int64_t area(int64_t side) { return side * side; }
constexpr int64_t kArea = area(3);
namespace deep {
enum { Rows = 7 };
}
enum class Size : unsigned { Small = 5 };
struct Limits {
  static constexpr int Most = 11;
};
using Alias = Limits;
}  // namespace config
namespace shortcut = config::deep;

namespace app {
constexpr int64_t kWidth = 2;

// CHECK-LABEL: "name": "app::f"
// CHECK: "shape": [2, 1, 100, 9]
// CHECK: "shape": [7, 7, 11, 11]
// CHECK: "shape": [5, 16]
GRAPHED(x: f32[kWidth, ::kWidth, config::kWidth, config::kArea],
        y: f32[config::deep::Rows, shortcut::Rows, config::Limits::Most, config::Alias::Most],
        z: f32[config::Size::Small, 2 * (kWidth + 6)])
void f(torch::Tensor x, torch::Tensor y, torch::Tensor z);

struct Model {
  // A member that comes later is seen, as in a method's body; a later constant of the namespace is not.
  // CHECK-LABEL: "name": "app::Model::forward"
  // CHECK: "shape": [3, 3, 1]
  GRAPHED(x: f32[kWidth, Model::kWidth, kLater]) torch::Tensor forward(torch::Tensor x);
  static constexpr int kWidth = 3;
};
constexpr int kLater = 50;
}  // namespace app

using namespace config::deep;
constexpr unsigned kTwo = 2;
// CHECK-LABEL: "name": "by_using_directive"
// CHECK: "shape": [7]
// CHECK: "shape": [2]
// CHECK: "shape": [2]
GRAPHED(x: f32[Rows], ys: f32[kTwo] * kTwo) void by_using_directive(torch::Tensor x, at::TensorList ys);

// A namespace that is opened again later is seen as it was.
// CHECK-LABEL: "name": "before_the_second_part"
// CHECK: "shape": [100]
// CHECK-NOT: "shape"
GRAPHED(x: f32[config::kWidth]) void before_the_second_part(torch::Tensor x);
namespace config {
constexpr int kSecond = 1;
}
