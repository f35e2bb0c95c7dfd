// SPDX-License-Identifier: Apache-2.0
//
// What lambdas read that the file puts into a member or a variable: calls look at it as at what other bodies read.
// RUN: graphgen --print %s %flags 2>&1 >%t | count 0
// RUN: FileCheck %s < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <functional>
#include <vector>

namespace app {

using Function = std::function<torch::Tensor(const torch::Tensor&)>;

inline double of_initializer = 1, of_constructor = 1, of_assignment = 1, of_list = 1, of_variable = 1, unread = 1;
inline Function stored = [](const torch::Tensor& x) { return x * of_variable; };

struct Policy {
  Policy() : made([](const torch::Tensor& x) { return x * of_constructor; }) {}
  void set() {
    put = [](const torch::Tensor& x) { return x * of_assignment; };
    many.push_back([](const torch::Tensor& x) { return x * of_list; });
  }
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) { return shape(made(put(many[0](stored(x))))) * of_initializer; }

  double gain = 1;
  Function shape = [this](const torch::Tensor& x) { return x * gain; };
  Function made, put;
  std::vector<Function> many;
  Function uncalled = [](const torch::Tensor& x) { return x * unread; };
};
// CHECK: constexpr const char* watched_names[] = {
// CHECK-NEXT: "gain",
// CHECK-NEXT: "shape",
// CHECK-NEXT: "made",
// CHECK-NEXT: "put",
// CHECK-NEXT: "many",
// CHECK-DAG: "::app::of_constructor"
// CHECK-DAG: "::app::of_assignment"
// CHECK-DAG: "::app::of_list"
// CHECK-DAG: "::app::of_variable"
// CHECK-NOT: "::app::unread"
// CHECK: void watch(

}  // namespace app
