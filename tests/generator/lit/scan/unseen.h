// SPDX-License-Identifier: Apache-2.0
//
// What no call looks at: `out` and `ignore`; tensors that a callable assigns; results behind pointers.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s --check-prefix=PLAN
// RUN: graphgen --print %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <string>

namespace app {

// PLAN: "name": "loss"
// PLAN-NEXT: "type": "out tensor"
// PLAN-NEXT: "first_tensor": 1
// PLAN-NEXT: "tensor_count": 0
// CHECK: constexpr auto visit_arguments = [](auto& visit, auto& x, auto& h) {
// CHECK-NEXT: visit(x);
// CHECK-NEXT: visit(h);
// CHECK: at::Tensor captured_loss;
// CHECK-NEXT: at::Tensor captured_h;
// CHECK: visit_arguments(refill, in[0], captured_h);
// CHECK: return Outcome{::app::assigned(in[0], captured_loss, captured_h), captured_loss, captured_h};
// CHECK: if (outcome.loss.defined()) arguments.loss = std::move(outcome.loss);
// CHECK-NEXT: arguments.h = std::move(outcome.h);
// CHECK-NEXT: return std::move(outcome.result);
GRAPHED(x: f32[2], loss: out, h: f32[2])
torch::Tensor assigned(const torch::Tensor& x, torch::Tensor& loss, torch::Tensor& h);

struct Callback {
  virtual void call();
};
struct Named {
  std::string name;
  torch::Tensor x, y;
  Callback* callback;
};

// PLAN: "name": "id"
// PLAN-NEXT: "type": "ignored"
// PLAN-NEXT: }
// CHECK: constexpr auto visit_arguments = [](auto& visit, auto& named) {
// CHECK-NEXT: visit(named.x);
// CHECK-NEXT: };
// CHECK: auto captured_named = arguments.named;
// CHECK-NEXT: captured_named.y = at::Tensor();
// CHECK: ::app::ignored(captured_named, arguments.id);
// CHECK-NEXT: return Outcome{captured_named};
// CHECK: arguments.named.x = std::move(outcome.named.x);
// CHECK-NEXT: if (outcome.named.y.defined()) arguments.named.y = std::move(outcome.named.y);
// CHECK-NEXT: return;
GRAPHED(named: {name: ignore, x: f32[2], y: out, callback: ignore}, id: ignore)
void ignored(Named& named, const char* id);

// CHECK: if (result) {
// CHECK-NEXT: visit(result->name_of_tensor);
// CHECK: std::shared_ptr<const graphed::impl::Copied<signature::result>> form;
struct Output {
  torch::Tensor name_of_tensor;
};
GRAPHED(x: f32[2])
std::unique_ptr<Output> owned(const torch::Tensor& x);

// CHECK: constexpr auto visit_result = [](auto& visit, auto& result) {
// CHECK-NEXT: if (std::get<0>(result)) {
// CHECK-NEXT: visit(std::get<0>(result)->name_of_tensor);
// CHECK: std::shared_ptr<const graphed::impl::Copied<signature::result>> form;
GRAPHED(x: f32[2])
std::tuple<std::unique_ptr<Output>, torch::Tensor> owned_beside(const torch::Tensor& x);

// CHECK: constexpr auto visit_arguments = [](auto& visit, auto& x, auto& all) {
// CHECK-NEXT: visit(x);
// CHECK-NEXT: visit(std::get<1>(all));
// CHECK-NEXT: };
// CHECK: auto captured_all = arguments.all;
// CHECK-NEXT: std::get<0>(captured_all) = at::Tensor();
// CHECK: if (std::get<0>(outcome.all).defined()) std::get<0>(arguments.all) = std::move(std::get<0>(outcome.all));
// CHECK-NEXT: std::get<1>(arguments.all) = std::move(std::get<1>(outcome.all));
GRAPHED(x: f32[2], all: {out, f32[2]})
void assigned_in_array(const torch::Tensor& x, std::array<torch::Tensor, 2>& all);

}  // namespace app
