// SPDX-License-Identifier: Apache-2.0
//
// Tensors in the memory of the host, as arguments and results.
// RUN: graphgen --print %s %flags | FileCheck %s
// RUN: graphgen --explain %s %flags | FileCheck %s --check-prefix=EXPLAINED
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

GRAPHED(obs: f32[1, 84] host, mask: bool[6] host optional; outputs = host)
torch::Tensor act(const torch::Tensor& obs, const std::optional<torch::Tensor>& mask);

// EXPLAINED: obs {{.*}} copied from the host

// CHECK: #include <graphed/future.h>
// CHECK: graphed::future<signature::result> async(signature::argument<0> obs, signature::argument<1> mask);
// CHECK: {"obs", at::kFloat, obs_shape, graphed::impl::flags::host},
// CHECK: graphed::OutputPolicy::Host
// CHECK: static graphed::impl::HostResults forward(
// CHECK: const c10::NoGradGuard no_history;
// CHECK: const graphed::impl::Inputs inputs(graphed::impl::OnHost(arguments.obs), graphed::impl::OnHost(arguments.mask));
// CHECK: return graphed::future<signature::result>(ActFunction::forward(*graph, inputs));
// CHECK: ::act(call.on_device(arguments.obs), call.on_device(arguments.mask))
// CHECK: return graphed::impl::future_of(plain);
// CHECK: run</*Ahead=*/false>(engine_, {obs, mask}).get();
