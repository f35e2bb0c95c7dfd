// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED in what another macro is called with: the declaration and its annotation are where they are written.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
// RUN: not graphgen --check %s %flags -DWRONG 2>&1 | FileCheck %s --check-prefix=WRONG --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#define API(...) __attribute__((visibility("default"))) __VA_ARGS__
#define TWICE_PASSED(...) API(__VA_ARGS__)
#define ANNOTATED(...) GRAPHED(__VA_ARGS__)
#define ONLY(mark) mark
#define SAME_TWICE(declaration) declaration declaration

// CHECK: "name": "f"
// CHECK: "line": [[#@LINE+1]]
API(GRAPHED(x: f32[4]) torch::Tensor f(torch::Tensor x);)

// CHECK: "name": "g"
// CHECK: "line": [[#@LINE+4]]
// CHECK: "annotation": "GRAPHED(x: f32[2, 3] grad)"
TWICE_PASSED(GRAPHED(x: f32[2,
  3] grad)
  torch::Tensor g(torch::Tensor x);)

// CHECK: "name": "h"
// CHECK: "line": [[#@LINE+1]]
API(ANNOTATED(x: f32[5]) torch::Tensor h(torch::Tensor x);)

// CHECK: "name": "i"
ONLY(GRAPHED(x: f32[6])) torch::Tensor i(torch::Tensor x);

// CHECK: "name": "j"
ONLY(GRAPHED)(x: f32[7]) torch::Tensor j(torch::Tensor x);

// CHECK: "name": "k"
SAME_TWICE(GRAPHED(x: f32[8]) torch::Tensor k(torch::Tensor x);)

// CHECK: "name": "Net::forward"
// CHECK: "line": [[#@LINE+4]]
API(
struct Net {
  API(GRAPHED(x: f32[9])
  torch::Tensor forward(torch::Tensor x);)
};
)
// CHECK-NOT: "line"

#if defined(WRONG)
// WRONG: :[[#@LINE+1]]:20: error: 'n' names nothing here, or more than one thing [graphed-dimension]
API(GRAPHED(x: f32[n]) torch::Tensor l(torch::Tensor x);)
// WRONG: :[[#@LINE+3]]:29: error: unknown type name 'Unknown'
// WRONG: :[[#@LINE+2]]:25: error: the annotated declaration of 'm' does not compile [graphed-invalid]
API(
GRAPHED(x: f32[2]) void m(  Unknown x);
)
#endif
