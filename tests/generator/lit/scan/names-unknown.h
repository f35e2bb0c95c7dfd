// SPDX-License-Identifier: Apache-2.0
//
// Names in dims that are not integer constants.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

int runtime = 3;
const int initialized_later = runtime;
constexpr double kReal = 2.0;
struct Type {};
namespace left {
constexpr int both = 1;
}
namespace right {
constexpr int both = 2;
}
using namespace left;
using namespace right;

// CHECK: :[[#@LINE+1]]:16: error: 'nowhere' names nothing here, or more than one thing [graphed-dimension]
GRAPHED(x: f32[nowhere]) void f(torch::Tensor x);
// CHECK: :[[#@LINE+2]]:19: error: 'runtime' is not an integer constant [graphed-dimension]
// CHECK: :[[#@LINE-16]]:5: note: 'runtime' is declared here; a constexpr or static const integer, an enumerator or a macro can be used
GRAPHED(x: f32[2, runtime]) void g(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: 'initialized_later' is not an integer constant [graphed-dimension]
GRAPHED(x: f32[initialized_later]) void h(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:20: error: 'kReal' is not an integer constant [graphed-dimension]
GRAPHED(x: f32[2 * kReal]) void i(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: 'Type' is not an integer constant [graphed-dimension]
GRAPHED(x: f32[Type]) void j(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: 'both' names nothing here, or more than one thing [graphed-dimension]
GRAPHED(x: f32[both]) void k(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: 'left::nothing' names nothing here, or more than one thing [graphed-dimension]
GRAPHED(x: f32[left::nothing]) void m(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: 'later' names nothing here, or more than one thing [graphed-dimension]
GRAPHED(x: f32[later]) void n(torch::Tensor x);
constexpr int later = 4;
