// SPDX-License-Identifier: Apache-2.0
//
// An annotated declaration that does not compile: the compiler's errors about it are reported, others are not.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
// CHECK: :[[#@LINE+1]]:10: error: 'no_such_file.h' file not found
#include "no_such_file.h"
#include <torch/torch.h>

int unrelated = undeclared;

// CHECK: :[[#@LINE+3]]:49: error: unknown type name 'Unknown'
// CHECK: :[[#@LINE+2]]:15: error: the annotated declaration of 'parameter' does not compile [graphed-invalid]
GRAPHED(x: f32[2])
torch::Tensor parameter(const torch::Tensor& x, Unknown y);

// CHECK: :[[#@LINE+5]]:25: error: variable has incomplete type 'void'
// CHECK: :[[#@LINE+4]]:41: error: no member named 'optional_of' in namespace 'torch'
// CHECK: error: expected '(' for function-style cast or type construction
// CHECK: error: use of undeclared identifier 'x'
// CHECK: error: the annotated declaration of 'argument' does not compile [graphed-invalid]
GRAPHED(x: f32[2]) void argument(torch::optional_of<torch::Tensor> x);

// CHECK: error: unknown type name 'Missing'
// CHECK: error: the annotated declaration of 'result' does not compile [graphed-invalid]
GRAPHED(x: f32[2]) Missing result(torch::Tensor x);

// CHECK: :[[#@LINE+2]]:1: error: no function that compiles follows this annotation [graphed-invalid]
// CHECK-NOT: undeclared
GRAPHED(x: f32[2]);
