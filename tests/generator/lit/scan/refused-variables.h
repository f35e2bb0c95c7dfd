// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables that cannot be.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#define MACRO
constexpr int64_t kRows = 4;

// CHECK: :[[#@LINE+2]]:24: error: the dimension variable 'kRows' hides the constant 'kRows' [graphed-dimension]
// CHECK: :[[#@LINE-3]]:19: note: the constant is declared here
GRAPHED(x: f32[kRows]; kRows in {1, 2}) void hides(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:24: error: the dimension variable 'MACRO' has the name of a macro [graphed-dimension]
GRAPHED(x: f32[MACRO]; MACRO in {1}) void macro(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:24: error: the dimension variable 'class' has the name of a keyword [graphed-dimension]
GRAPHED(x: f32[class]; class in {1}) void keyword(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:32: error: 'unknown' names nothing here, or more than one thing [graphed-dimension]
GRAPHED(x: f32[B]; B in {1, 2, unknown}) void unknown_value(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:29: error: the value 4 of 'B' is given twice [graphed-dimension]
GRAPHED(x: f32[B]; B in {4, kRows}) void twice(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:26: error: a dimension is at least 0, but '-1' is -1 [graphed-dimension]
GRAPHED(x: f32[B]; B in {-1}) void negative(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:19: error: the dimension variable 'B' is in no dimension and no count [graphed-dimension]
GRAPHED(x: f32[]; B in {1}) void unused(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:39: error: the option 'warmup' is the same for all graphs: it cannot depend on the dimension variable 'B' [graphed-dimension]
GRAPHED(x: f32[B]; B in {1}, warmup = B) void in_an_option(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: a padded dimension variable must be alone in its dimension, but here is 'B * 2' [graphed-dimension]
GRAPHED(x: f32[B * 2]; B in {1} pad) void not_alone(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: a dimension is at least 0, but 'B - 4' is -3 where B is 1 [graphed-dimension]
GRAPHED(x: f32[B - 4]; B in {8, 1}) void too_small(torch::Tensor x);

// CHECK: :[[#@LINE+1]]:24: error: a call gives the value of 'B' by a dimension that is 'B' alone, of a tensor that is not 'optional', but there is none [graphed-dimension]
GRAPHED(x: f32[2 * B]; B in any 4) void open_alone(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:34: error: 'pad' rounds a size up to the next value of 'B', but those of 'any' are not known before the calls; give them, as in 'B in {1, 8, 64} pad' [graphed-dimension]
GRAPHED(x: f32[B, T]; B in any 4 pad, T in {1, 2}) void open_padded(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:33: error: 'unknown' names nothing here, or more than one thing [graphed-dimension]
GRAPHED(x: f32[B]; B in any 4 * unknown) void open_unknown(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:19: error: no value of 'B' gives this tensor a shape [graphed-dimension]
GRAPHED(x: f32[B, B % 7 - 8]; B in any 4) void open_negative(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:33: error: no value of 'B' gives this tensor a shape [graphed-dimension]
GRAPHED(x: f32[B, T], y: f32[T, B - 100, 99 - B]; B in any 4, T in any 2) void open_apart(torch::Tensor x, torch::Tensor y);

// A type or a function of the same name is not a constant.
struct B {};
GRAPHED(x: f32[B]; B in {1}) void right(torch::Tensor x);
