// SPDX-License-Identifier: Apache-2.0
//
// Explicit instantiations of annotated templates are captured, each under its name.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s --implicit-check-not='"name": "app'
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
struct Config {};

// CHECK: "name": "app::scaled<float, 3>"
// CHECK: "default": "2"
// CHECK: "shape": [3, 4]
// CHECK: "name": "app::scaled<app::Config, 5>"
// CHECK: "shape": [5, 6]
template <class T, int N>
GRAPHED(x: f32[N, N + 1], k: key) torch::Tensor scaled(torch::Tensor x, int k = 2);
extern template torch::Tensor scaled<float, 3>(torch::Tensor, int);
extern template torch::Tensor scaled<Config, 5>(torch::Tensor, int);
inline torch::Tensor implicit(torch::Tensor x) { return scaled<double, 7>(x); }

// CHECK: "name": "app::scaled<int64_t, 6>"
extern template torch::Tensor scaled<int64_t, 6>(torch::Tensor, int);

// CHECK: "name": "app::Sized<4, bool>::forward"
// CHECK: "object": "app::Sized<4, bool>"
// CHECK: "type": "bool"
// CHECK: "shape": [4, 8]
// CHECK: "name": "app::Sized<6, int>::forward"
// CHECK: "type": "integer"
// CHECK: "shape": [6, 12]
template <int N, class T>
struct Sized {
  static constexpr int kTwice = 2 * N;
  GRAPHED(x: f32[N, kTwice], t: key) torch::Tensor forward(torch::Tensor x, T t);
};
extern template struct Sized<4, bool>;
extern template struct Sized<6, int>;
inline Sized<9, int> implicit_object;

// CHECK: "name": "app::Sized<5, int>::forward"
template <>
struct Sized<5, int> {
  GRAPHED(x: f32[5]) torch::Tensor forward(torch::Tensor x);
};

// CHECK: "name": "app::Nest<2, float>::Inner::Deeper::forward"
// CHECK: "object": "app::Nest<2, float>::Inner::Deeper"
// CHECK: "type": "floating point"
// CHECK: "shape": [2, 4]
// CHECK: "name": "app::Nest<3, int>::Inner::Deeper::forward"
template <int N, class T>
struct Nest {
  struct Inner {
    static constexpr int kTwice = 2 * N;
    struct Deeper {
      GRAPHED(x: f32[N, kTwice], t: key) torch::Tensor forward(torch::Tensor x, T t);
    };
  };
};
extern template struct Nest<2, float>;
extern template struct Nest<3, int>::Inner::Deeper;
inline Nest<4, int>::Inner::Deeper implicit_nest;

// CHECK: "name": "app::Tools::member<int>"
struct Tools {
  template <class T> GRAPHED(x: f32[2]) torch::Tensor member(torch::Tensor x);
};
extern template torch::Tensor Tools::member<int>(torch::Tensor);

// CHECK: "name": "app::both<int>"
// CHECK: "overload": "at::Tensor (at::Tensor)"
template <class T> GRAPHED(x: f32[2]) torch::Tensor both(torch::Tensor x);
torch::Tensor both(int);
extern template torch::Tensor both<int>(torch::Tensor);
}  // namespace app
