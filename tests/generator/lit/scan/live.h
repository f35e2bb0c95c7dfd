// SPDX-License-Identifier: Apache-2.0
//
// Live scalars: by value, by const reference, with default arguments.
// RUN: graphgen --print %s %flags | FileCheck %s
// RUN: graphgen --dump-plan %s %flags | FileCheck %s --check-prefix=PLAN
#pragma once
#include <graphed/annotate.h>
#include <graphed/scalar.h>
#include <torch/torch.h>

// PLAN-LABEL: "name": "stepped"
// PLAN: "name": "lr",
// PLAN-NEXT: "type": "live scalar",
// PLAN-NEXT: "scalar": "live"
// PLAN: "name": "eps",
// PLAN-NEXT: "type": "live scalar",
// PLAN-NEXT: "scalar": "live",
// PLAN-NEXT: "default": "0.5"
//
// CHECK-LABEL: // GRAPHED(lr: live, x: f32[2], eps: live)
// CHECK: operator()(signature::argument<0> lr, signature::argument<1> x, signature::argument<2> eps = 0.5) const;
GRAPHED(lr: live, x: f32[2], eps: live)
torch::Tensor stepped(graphed::Scalar lr, const torch::Tensor& x, const graphed::Scalar& eps = 0.5);

// CHECK-LABEL: // GRAPHED(a: live, b: live, c: live, d: live, e: live)
// CHECK: a = 3
// CHECK: b = true
// CHECK: c = 0.25f
// CHECK: d = -7
// CHECK: e = 0.1f) const;
GRAPHED(a: live, b: live, c: live, d: live, e: live)
torch::Tensor defaults(graphed::Scalar a = 1 + 2, graphed::Scalar b = true, const graphed::Scalar& c = 0.25f,
                       const graphed::Scalar& d = graphed::Scalar(int64_t{-7}), graphed::Scalar e = float(0.1));

// CHECK: const auto scalars = [&] { return graphed::impl::Scalars().live("lr", arguments.lr).live("eps", arguments.eps); };
// CHECK: return ::stepped(graphed::Scalar::over(in[1]), in[0], graphed::Scalar::over(in[2]));
// CHECK: graphed::impl::Call call(engine, inputs, scalars());
// CHECK: return call.original([&] { return ::stepped(arguments.lr, arguments.x, arguments.eps); });
