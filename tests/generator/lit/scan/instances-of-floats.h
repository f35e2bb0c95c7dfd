// SPDX-License-Identifier: Apache-2.0
//
// Instances for floating-point numbers are named by literals of the same type and value, so that no two have one name.
// RUN: graphgen --dump-plan %s %flags -std=c++20 | FileCheck %s
// RUN: graphgen --print %s %flags -std=c++20 | FileCheck %s --check-prefix=CODE
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: "name": "Scaled<0.1>::run"
// CHECK: "name": "Scaled<0.10000000001>::run"
// CHECK: "name": "Scaled<-2.0>::run"
// CHECK: "name": "Scaled<1e-09>::run"
// CHECK: "name": "Scaled<__builtin_huge_val()>::run"
// CODE: graphed::callable<&::Scaled<0.1>::run>
// CODE: graphed::impl::ObjectHolder<::Scaled<0.1>> object
// CODE: graphed::callable<&::Scaled<0.10000000001>::run>
template <double Factor>
struct Scaled {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x);
};
template struct Scaled<0.1>;
template struct Scaled<0.10000000001>;
template struct Scaled<-2.0>;
template struct Scaled<1e-9>;
template struct Scaled<__builtin_huge_val()>;

// CHECK: "name": "scale<0.1F>"
// CHECK: "name": "scale<0.33333334F>"
template <float Factor>
GRAPHED(x: f32[2])
torch::Tensor scale(const torch::Tensor& x);
extern template torch::Tensor scale<0.1F>(const torch::Tensor& x);
extern template torch::Tensor scale<1.0F / 3>(const torch::Tensor& x);

struct Range {
  double low, high;
};

// In a value of a class, in a type, and beside what only looks like one.
// CHECK: "name": "e_minus<Range{0.1, 3.0}, Scaled<0.10000000001>, 7>"
template <Range R, class T, int N>
GRAPHED(x: f32[N])
torch::Tensor e_minus(const torch::Tensor& x);
extern template torch::Tensor e_minus<Range{0.1, 3}, Scaled<0.10000000001>, 7>(const torch::Tensor& x);

// CHECK: "name": "overloaded"
// CHECK: "overload": "{{.*}}Held<0.1>
// CHECK: "name": "overloaded"
// CHECK: "overload": "{{.*}}Held<0.10000000001>
template <double Factor>
struct Held {
  torch::Tensor x;
};
GRAPHED(held: {x: f32[2]}) torch::Tensor overloaded(const Held<0.1>& held);
GRAPHED(held: {x: f32[2]}) torch::Tensor overloaded(const Held<0.10000000001>& held);
