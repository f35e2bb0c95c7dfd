// SPDX-License-Identifier: Apache-2.0
//
// Macros in dims that are not integer constants.
// RUN: not graphgen --check %s %flags -DOF_THE_COMMAND_LINE=2.5 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#define REAL 2.5
#define EMPTY
#define SUM 2 + 3
#define SQUARE(x) ((x) * (x))
#define LOCAL (2 * runtime)
#define CHANGED 4
#define OUTER (2 * CHANGED)
#define ZERO (1 / (2 - 2))
#define ROUND_1 (ROUND_2 + 1)
#define ROUND_2 ROUND_1
int runtime = 3;

// CHECK: :[[#@LINE+2]]:16: error: the macro 'REAL' is '2.5', which is not an integer constant [graphed-dimension]
// CHECK: :[[#@LINE-13]]:9: note: 'REAL' is defined here; integers, names and arithmetic with + - * / % can be used
GRAPHED(x: f32[REAL]) void real(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: the macro 'EMPTY' is '', which is not an integer constant [graphed-dimension]
GRAPHED(x: f32[EMPTY]) void empty(torch::Tensor x);
// CHECK: :[[#@LINE+2]]:19: error: the macro 'SUM' is '2 + 3', which an operator beside it would take apart [graphed-dimension]
// CHECK: :[[#@LINE-16]]:9: note: 'SUM' is defined here; write '(2 + 3)'
GRAPHED(x: f32[2, SUM]) void sum(torch::Tensor x);
// CHECK: :[[#@LINE+2]]:16: error: the macro 'SQUARE' has parameters [graphed-dimension]
// CHECK: :[[#@LINE-18]]:9: note: it is defined here; a macro without parameters can be used
GRAPHED(x: f32[SQUARE]) void squared(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: the macro 'LOCAL' is '(2 * runtime)', and 'runtime' is not an integer constant [graphed-dimension]
GRAPHED(x: f32[LOCAL]) void local(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: the macro 'ZERO' is '(1 / (2 - 2))', with division by zero in '1 / (2 - 2)' [graphed-dimension]
GRAPHED(x: f32[ZERO]) void zero(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: the macro 'ROUND_2' is 'ROUND_1', and 'ROUND_1' is not an integer constant [graphed-dimension]
GRAPHED(x: f32[ROUND_1]) void around(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: the macro '__LINE__' is the compiler's and has another value in each place [graphed-dimension]
GRAPHED(x: f32[__LINE__]) void built_in(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: the macro 'OF_THE_COMMAND_LINE' is '2.5', which is not an integer constant [graphed-dimension]
GRAPHED(x: f32[OF_THE_COMMAND_LINE]) void of_the_command_line(torch::Tensor x);

// CHECK: :[[#@LINE+2]]:16: error: the macro 'CHANGED' has another value later in the file [graphed-dimension]
// CHECK: :[[#@LINE+6]]:9: note: it is defined again here; give one of the two another name
GRAPHED(x: f32[CHANGED]) void changed(torch::Tensor x);
// CHECK: :[[#@LINE+2]]:16: error: the macro 'CHANGED' has another value later in the file [graphed-dimension]
// CHECK: :[[#@LINE+3]]:9: note: it is defined again here; give one of the two another name
GRAPHED(x: f32[OUTER]) void within(torch::Tensor x);
#undef CHANGED
#define CHANGED 5

// CHECK: :[[#@LINE+2]]:16: error: 'LATER' is a macro that is defined after the annotation [graphed-dimension]
// CHECK: :[[#@LINE+1]]:16: note: define it before the annotation
GRAPHED(x: f32[LATER]) void later(torch::Tensor x);
#define LATER 4
