// SPDX-License-Identifier: Apache-2.0
//
// What each call looks at in a module beside what it has registered: tensors of its own that a body names.
// RUN: graphgen --print %s %flags > %t && FileCheck %s < %t
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAIN
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <tuple>

namespace app {

struct Cell {
  torch::Tensor h, c;
  int steps = 0;
};

class RecurrentImpl : public torch::nn::Module {
 public:
  GRAPHED(x: f32[2])
  torch::Tensor forward(const torch::Tensor& x) {
    cell_.h = torch::tanh(x + cell_.h);
    ++cell_.steps;
    return seen_ ? cell_.c : cell_.h;
  }

 private:
  Cell cell_;
  std::tuple<torch::Tensor, torch::Tensor> unused_;
  torch::nn::Linear inner_{2, 2};
  bool seen_ = true;
};

// CHECK: constexpr const char* watched_names[] = {"cell_.h", "cell_.c"};
// CHECK: graphed::impl::WatchedMember<&::app::RecurrentImpl::cell_, &::app::Cell::h>,
// CHECK-NEXT: graphed::impl::WatchedMember<&::app::RecurrentImpl::cell_, &::app::Cell::c>>;
// CHECK-NOT: WatchedMember
// CHECK: engine_(recurrent_impl_forward_glue_of_app_in_module_members::spec, &*object_, {*object_, recurrent_impl_forward_glue_of_app_in_module_members::watched_names, recurrent_impl_forward_glue_of_app_in_module_members::watch}) {}
// EXPLAIN: members of the object that each call looks at, beside what it has registered
// EXPLAIN-NEXT: cell_.h{{ +}}tensor

class PlainImpl : public torch::nn::Module {
 public:
  GRAPHED(x: f32[2])
  torch::Tensor forward(const torch::Tensor& x) { return x * scale; }
  double scale = 1;
};
// CHECK: engine_(plain_impl_forward_glue_of_app_in_module_members::spec, &*object_) {}

}  // namespace app
