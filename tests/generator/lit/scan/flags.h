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
// CODE: {"a", at::kFloat, a_shape, graphed::flags::grad | graphed::flags::channels_last | graphed::flags::static_address},
// CODE: {"b", at::kFloat, {}, graphed::flags::optional},
// CODE: {"c", at::kFloat, c_shape, graphed::flags::inplace | graphed::flags::optional},
// CODE: return ::every_flag(in[0], graphed::optional_tensor(in[1]), in[2]);
GRAPHED(a: f32[1, 2, 3, 4] static grad channels_last, b: f32[] optional, c: f32[2] optional inplace)
torch::Tensor every_flag(torch::Tensor a, std::optional<torch::Tensor> b, torch::Tensor& c);

// CODE: return ::never_absent(in[0]);
GRAPHED(a: f32[]) torch::Tensor never_absent(const std::optional<torch::Tensor>& a);

// PLAN-LABEL: "name": "every_option"
// PLAN: "slots": 3,
// PLAN-NEXT: "pool": "actor",
// PLAN-NEXT: "retain": true
// CODE: /*strict=*/false,
// CODE-NEXT: /*slots=*/3, /*pool=*/"actor", /*retain=*/true};
GRAPHED(a: f32[2]; slots = 2 + 1, pool = actor, retain) torch::Tensor every_option(torch::Tensor a);
