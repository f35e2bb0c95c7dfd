// SPDX-License-Identifier: Apache-2.0
//
// Flags, options and dimension variables that cannot be as they are written, and forms that are not supported yet.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+1]]:30: error: unknown value 'kept' for 'outputs'; expected keep, alias, clone or host [graphed-syntax]
GRAPHED(x: f32[2]; outputs = kept) void outputs(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:29: error: 'warmup' is at least 0, but '-1' is -1 [graphed-dimension]
GRAPHED(x: f32[2]; warmup = -1) void warmup(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:27: error: the option 'strict' takes no value [graphed-syntax]
GRAPHED(x: f32[2]; strict = 1) void strict(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:28: error: 'slots' is at least 1, but 0 is given [graphed-dimension]
GRAPHED(x: f32[2]; slots = 0) void slots(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:27: error: expected a name for 'pool', got '3' [graphed-syntax]
GRAPHED(x: f32[2]; pool = 3) void pool(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:28: error: the option 'strict' is given twice [graphed-syntax]
GRAPHED(x: f32[2]; strict, strict) void strict_twice(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:40: error: expected ',' or ';' after the option, got 'repeat' [graphed-syntax]
GRAPHED(x: f32[B]; B in {1} pad repeat repeat) void pad_repeat(torch::Tensor x);

// CHECK: :[[#@LINE+1]]:27: error: the flag 'inplace' is given twice [graphed-syntax]
GRAPHED(x: f32[2] inplace inplace) void twice(torch::Tensor x);

// CHECK: :[[#@LINE+1]]:25: error: the option 'step' takes no value [graphed-syntax]
GRAPHED(x: f32[2]; step = 2) void step(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:20: error: the option 'order' is not supported yet; mark a training with gradients of gradients 'step' [graphed-unsupported]
GRAPHED(x: f32[2]; order = 2) void order(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:28: error: unknown value 'on_host' for 'grads'; expected in_graph [graphed-syntax]
GRAPHED(x: f32[2]; grads = on_host) void grads(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:55: error: the check 'graphed-host-item' is allowed twice [graphed-syntax]
GRAPHED(x: f32[2]; allow = graphed-host-item, allow = graphed-host-item) void allow(torch::Tensor x);
