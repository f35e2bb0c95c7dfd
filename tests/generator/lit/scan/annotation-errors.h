// SPDX-License-Identifier: Apache-2.0
//
// Errors of the language are at the exact column, over lines and inside macros.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+4]]:12: error: unknown dtype 'f23'; did you mean 'f32'? [graphed-syntax]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+3]]:12-[[#@LINE+3]]:15}:"f32"
// CHECK: :[[#@LINE+5]]:6: error: expected an argument's name after ',', got '5' [graphed-syntax]
GRAPHED(
        x: f23[64],
        y: f32[64,
               64] grad,
     5)
void f(torch::Tensor x, torch::Tensor y);

#define WITH_OPTION(option) GRAPHED(x: f32[2]; option)
// CHECK: :[[#@LINE+1]]:13: error: unknown option 'worm_up'{{.*}} [graphed-syntax]
WITH_OPTION(worm_up = 3) void g(torch::Tensor x);

// CHECK: :[[#@LINE+1]]:20: error: the option 'order' is not supported yet; mark a training with gradients of gradients 'step' [graphed-unsupported]
GRAPHED(x: f32[2]; order = 2) void h(torch::Tensor x);

// CHECK: :[[#@LINE+1]]:17: error: {{.*}} [graphed-dimension]
GRAPHED(x: f32[(-1)]) void i(torch::Tensor x);

// CHECK: :[[#@LINE+1]]:12: error: unexpected string literal [graphed-syntax]
GRAPHED(x: "f32\n*/") void j(torch::Tensor x);

// CHECK: :[[#@LINE+6]]:11: error: expected ':' after the argument's name 'x', got '=' [graphed-syntax]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+5]]:11-[[#@LINE+5]]:12}:":"
// CHECK: :[[#@LINE+4]]:23: error: expected ':' after the argument's name 'n', got '=' [graphed-syntax]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+3]]:23-[[#@LINE+3]]:24}:":"
// CHECK: :[[#@LINE+2]]:32: error: expected ':' after the argument's name 'b', got '=' [graphed-syntax]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:32-[[#@LINE+1]]:33}:":"
GRAPHED(x = f32[2], n = key, b = {x: f32[2]}; warmup = 3) void assigned(torch::Tensor x, int n, int b);
// CHECK: :[[#@LINE+2]]:20: error: expected ';' before the option 'B' [graphed-syntax]
// CHECK: :[[#@LINE+1]]:22: error: expected 'in' before the values of the dimension variable 'B', got '=' [graphed-syntax]
GRAPHED(x: f32[2], B = {1, 2}) void variable(torch::Tensor x);

// CHECK: :[[#@LINE+2]]:10: error: expected an option after ';', got ';' [graphed-syntax]
// CHECK: :[[#@LINE+1]]:11: error: expected an option after ';', got the end of the annotation [graphed-syntax]
GRAPHED(;;) void k();
