// SPDX-License-Identifier: Apache-2.0
//
// Tensors in the memory of the host, as arguments and results.
// RUN: graphgen --print %s %flags | FileCheck %s
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAINED
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <optional>
#include <vector>

GRAPHED(obs: f32[1, 84] host, mask: bool[6] host optional; outputs = host)
torch::Tensor act(const torch::Tensor& obs, const std::optional<torch::Tensor>& mask);

// EXPLAINED: obs {{.*}} copied from the host

// CHECK: #include <graphed/future.h>
// CHECK: graphed::future<signature::result> async(signature::argument<0> obs, signature::argument<1> mask) const;
// CHECK: {"obs", at::kFloat, obs_shape, graphed::impl::flags::host},
// CHECK: graphed::OutputPolicy::Host
// CHECK: static graphed::impl::HostResults forward(
// CHECK: const c10::NoGradGuard no_history;
// CHECK: const graphed::impl::Inputs inputs(graphed::impl::OnHost(arguments.obs), graphed::impl::OnHost(arguments.mask));
// CHECK: return graphed::future<signature::result>(ActFunction::forward(*graph, inputs));
// CHECK: ::act(call.on_device(arguments.obs), call.on_device(arguments.mask))
// CHECK: return graphed::impl::future_of(plain);
// CHECK: run</*Ahead=*/false>(engine_, {obs, mask}).get();

struct Batch {
  torch::Tensor x;
  std::vector<torch::Tensor> noise;
  torch::Tensor y;
};

GRAPHED(batch: {x: f32[2] host, noise: f32[2] host * 2, y: f32[2]}, w: f32[2] host; outputs = host)
torch::Tensor learn(const Batch& batch, const torch::Tensor& w);

// CHECK: constexpr auto visit_arguments = [](auto& visit, auto& batch, auto& w) {
// CHECK-NEXT: visit.on_host(batch.x);
// CHECK-NEXT: visit.each(batch.noise, [&](auto& element) {
// CHECK-NEXT: visit.on_host(element);
// CHECK-NEXT: });
// CHECK-NEXT: visit(batch.y);
// CHECK-NEXT: visit.on_host(w);
// CHECK: return call.original([&] {
// CHECK-NEXT: auto moved_batch = arguments.batch;
// CHECK-NEXT: graphed::impl::OnDevice move(call);
// CHECK-NEXT: visit_arguments(move, moved_batch, arguments.w);
// CHECK-NEXT: return ::learn(moved_batch, call.on_device(arguments.w));
// CHECK-NEXT: });
