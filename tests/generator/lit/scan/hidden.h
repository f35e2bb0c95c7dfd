// SPDX-License-Identifier: Apache-2.0
//
// Private and protected methods of a class that has graphed::access for a friend.
// RUN: graphgen --print %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
class Trainer {
  friend struct graphed::access;
  // CHECK: namespace graphed::trainer_step_glue_of_app_in_hidden {
  // CHECK: constexpr auto graphed::access::method<graphed::trainer_step_glue_of_app_in_hidden::method>() {
  // CHECK-NEXT: return &::app::Trainer::step;
  // CHECK: class graphed::callable<graphed::access::method<graphed::trainer_step_glue_of_app_in_hidden::method>()> {
  GRAPHED(x: f32[2]) torch::Tensor step(torch::Tensor x);

 protected:
  // CHECK: return &::app::Trainer::made;
  GRAPHED(x: f32[2]) static torch::Tensor made(torch::Tensor x);
  void other();

 public:
  // CHECK: class graphed::callable<&::app::Trainer::open> {
  GRAPHED(x: f32[2]) torch::Tensor open(torch::Tensor x);
};

template <int N>
class Sized {
  friend struct graphed::access;
  // CHECK: return &::app::Sized<3>::forward;
  GRAPHED(x: f32[N]) torch::Tensor forward(torch::Tensor x);
};
extern template class Sized<3>;
}  // namespace app
// CHECK: return (object.*function)(in[0]);
