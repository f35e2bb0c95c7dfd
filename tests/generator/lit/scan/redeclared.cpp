// SPDX-License-Identifier: Apache-2.0
//
// Only what is annotated in the file itself counts; a definition may repeat its declaration's annotation, spaced otherwise.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: graphgen --dump-plan policy.cpp %flags | FileCheck policy.cpp
// RUN: not graphgen --check differs.cpp %flags 2>&1 | FileCheck differs.cpp --implicit-check-not=error:

//--- policy.h
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
GRAPHED(x: f32[2]) torch::Tensor in_header(torch::Tensor x);
GRAPHED(x: f32[1])
GRAPHED(x: f32[2])
torch::Tensor twice(torch::Tensor x);
GRAPHED(x: f32[2 * 2, 3] grad; warmup = 2)
torch::Tensor spaced(torch::Tensor x);

//--- policy.cpp
#include "policy.h"
GRAPHED( x: f32[2] ) torch::Tensor in_header(torch::Tensor x) { return x; }
GRAPHED(x: f32[2])
GRAPHED(x: f32[1])
torch::Tensor twice(torch::Tensor x) { return x; }
GRAPHED( x : f32[ 2*2,3 ]grad;warmup=2 ) torch::Tensor spaced(torch::Tensor x) { return x; }
// CHECK: "callables": [
// CHECK: "name": "own"
// CHECK: "line": 10
GRAPHED(x: f32[2]) static torch::Tensor own(torch::Tensor x);
GRAPHED(x: f32[2]) torch::Tensor own(torch::Tensor x) { return x; }
// CHECK-NOT: "line"

//--- differs.cpp
#include "policy.h"
// CHECK: differs.cpp:[[#@LINE+2]]:1: error: this annotation of 'in_header' differs from that of its earlier declaration, which counts [graphed-repeated]
// CHECK: policy.h:4:1: note: the earlier annotation is here
GRAPHED(x: f32[3]) torch::Tensor in_header(torch::Tensor x) { return x; }
// CHECK: differs.cpp:[[#@LINE+3]]:1: error: this annotation of 'twice' differs from that of its earlier declaration, which counts [graphed-repeated]
// CHECK: policy.h:5:1: note: the earlier annotation is here
GRAPHED(x: f32[2])
GRAPHED(x: f32[3])
torch::Tensor twice(torch::Tensor x) { return x; }
// CHECK: differs.cpp:[[#@LINE+2]]:1: error: this annotation of 'spaced' differs from that of its earlier declaration, which counts [graphed-repeated]
// CHECK: policy.h:8:1: note: the earlier annotation is here
GRAPHED(x: f32[22, 3] grad; warmup = 2) torch::Tensor spaced(torch::Tensor x) { return x; }
