// SPDX-License-Identifier: Apache-2.0
//
// Flags and the options of captures, in the plan and in the generated tables.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s --check-prefix=PLAN
// RUN: graphgen --print %s %flags | FileCheck %s --check-prefix=CODE
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// PLAN-LABEL: "name": "every_flag"
// PLAN: "name": "a"
// PLAN: "flags": [
// PLAN-NEXT: "grad",
// PLAN-NEXT: "channels_last",
// PLAN-NEXT: "static"
// PLAN-NEXT: ]
// PLAN: "name": "c"
// PLAN: "flags": [
// PLAN-NEXT: "inplace",
// PLAN-NEXT: "optional"
// PLAN-NEXT: ]
// CODE: {"a", at::kFloat, a_shape, graphed::impl::flags::grad | graphed::impl::flags::channels_last | graphed::impl::flags::static_address},
// CODE: {"b", at::kFloat, {}, graphed::impl::flags::optional},
// CODE: {"c", at::kFloat, c_shape, graphed::impl::flags::inplace | graphed::impl::flags::optional},
// CODE: return ::every_flag(in[0], graphed::impl::optional_tensor(in[1]), in[2]);
GRAPHED(a: f32[1, 2, 3, 4] static grad channels_last, b: f32[] optional, c: f32[2] optional inplace)
torch::Tensor every_flag(torch::Tensor a, std::optional<torch::Tensor> b, torch::Tensor& c);

// CODE: return ::never_absent(in[0]);
GRAPHED(a: f32[]) torch::Tensor never_absent(const std::optional<torch::Tensor>& a);

// PLAN-LABEL: "name": "every_option"
// PLAN: "slots": 3,
// PLAN-NEXT: "pool": "actor",
// PLAN-NEXT: "step": false
// CODE: /*strict=*/false,
// CODE-NEXT: /*slots=*/3, /*pool=*/"actor"};
GRAPHED(a: f32[2]; slots = 2 + 1, pool = actor) torch::Tensor every_option(torch::Tensor a);

// PLAN-LABEL: "name": "trained"
// PLAN: "step": true
// CODE: /*slots=*/2, /*pool=*/nullptr, /*step=*/true};
GRAPHED(a: f32[2]; step) torch::Tensor trained(torch::Tensor a);

// PLAN-LABEL: "name": "accumulated"
// PLAN: "step": false,
// PLAN-NEXT: "grads": "in_graph"
// CODE: /*slots=*/2, /*pool=*/nullptr, /*step=*/false, /*grads_in_graph=*/true};
GRAPHED(a: f32[2] grad; grads = in_graph) torch::Tensor accumulated(torch::Tensor a);

// PLAN-LABEL: "name": "of_a_callable"
// PLAN: "warmup": 5,
// PLAN-NEXT: "outputs": "clone",
// PLAN-NEXT: "strict": true,
// CODE: /*warmup=*/5, graphed::OutputPolicy::Clone, /*strict=*/true};
GRAPHED(a: f32[2]; warmup = 5, outputs = clone; strict) torch::Tensor of_a_callable(torch::Tensor a);

// PLAN-LABEL: "name": "every_dtype"
// CODE: {"a", at::kDouble,
// CODE-NEXT: {"b", at::kFloat,
// CODE-NEXT: {"c", at::kHalf,
// CODE-NEXT: {"d", at::kBFloat16,
// CODE-NEXT: {"e", at::kFloat8_e4m3fn,
// CODE-NEXT: {"f", at::kFloat8_e5m2,
// CODE-NEXT: {"g", at::kComplexFloat,
// CODE-NEXT: {"h", at::kComplexDouble,
// CODE-NEXT: {"i", at::kLong,
// CODE-NEXT: {"j", at::kInt,
// CODE-NEXT: {"k", at::kShort,
// CODE-NEXT: {"l", at::kChar,
// CODE-NEXT: {"m", at::kByte,
// CODE-NEXT: {"n", at::kBool,
GRAPHED(a: f64[2], b: f32[2], c: f16[2], d: bf16[2], e: f8e4m3[2], f: f8e5m2[2], g: c64[2], h: c128[2], i: i64[2], j: i32[2], k: i16[2],
        l: i8[2], m: u8[2], n: bool[2])
void every_dtype(torch::Tensor a, torch::Tensor b, torch::Tensor c, torch::Tensor d, torch::Tensor e, torch::Tensor f, torch::Tensor g,
                 torch::Tensor h, torch::Tensor i, torch::Tensor j, torch::Tensor k, torch::Tensor l, torch::Tensor m, torch::Tensor n);
