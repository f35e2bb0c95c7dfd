// SPDX-License-Identifier: Apache-2.0
//
// What a lambda in a template, or one that a template calls, does to a global; and calls of great depth.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

torch::Tensor last;

template <class F>
void apply(F f) {
  f();
}
template <class T>
struct Runner {
  template <class F>
  void run(F f) {
    f();
  }
};
template <int N>
void keep(const torch::Tensor& x) {
  const auto assign = [&] {
    // CHECK-DAG: :[[#@LINE+1]]:10: warning: 'last' is assigned at the capture only{{.*}} [graphed-rebound]
    last = x.tanh();
  };
  assign();
}
template <class T>
struct Keeper {
  void call(const torch::Tensor& x) {
    auto assign = [](const torch::Tensor& y) {
      // CHECK-DAG: :[[#@LINE+1]]:12: warning: 'last' is assigned at the capture only{{.*}} [graphed-rebound]
      last = y.tanh();
    };
    assign(x);
  }
};

// CHECK-DAG: :[[#@LINE+1]]:82: warning: 'last' is assigned at the capture only
GRAPHED(x: f32[2]) void by_a_function(const torch::Tensor& x) { apply([&] { last = x.tanh(); }); }
// CHECK-DAG: :[[#@LINE+1]]:91: warning: 'last' is assigned at the capture only
GRAPHED(x: f32[2]) void by_a_class(const torch::Tensor& x) { Runner<int>().run([&] { last = x.tanh(); }); }
GRAPHED(x: f32[2]) void in_a_function(const torch::Tensor& x) { keep<3>(x); }
GRAPHED(x: f32[2]) void in_a_class(const torch::Tensor& x) { Keeper<float>().call(x); }

template <int N>
void deep(const torch::Tensor& x) {
  deep<N - 1>(x + x);
}
template <>
inline void deep<0>(const torch::Tensor& x) {
  // CHECK-DAG: :[[#@LINE+1]]:5: error: 'item' reads a tensor's value on the host
  x.item<float>();
}
GRAPHED(x: f32[2]) void far_down(const torch::Tensor& x) { deep<60>(x); }
