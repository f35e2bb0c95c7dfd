// SPDX-License-Identifier: Apache-2.0
//
// Aggregates whose members the annotation does not name rightly.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
#include <map>

struct Layer {
  torch::Tensor weight, bias;
};
struct Batch {
  torch::Tensor obs;
  bool flag;
  std::vector<Layer> layers;
};

// CHECK: :[[#@LINE+3]]:13: error: 'obz' is not a member of 'b'; did you mean 'obs'? [graphed-mismatch]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+2]]:13-[[#@LINE+2]]:16}:"obs"
// CHECK: :[[#@LINE+1]]:37: error: 'other' is not a member of 'b' [graphed-mismatch]
GRAPHED(b: {obz: f32[2], flag: key, other: f32[2], layers: {weight: f32[2], bias: f32[2]} * 2})
void unknown(const Batch& b);

// CHECK: :[[#@LINE+7]]:34: error: member 'b.layers[0].bias' of type 'torch::Tensor' is not in the annotation [graphed-mismatch]
// CHECK: :[[#@LINE+6]]:49: note: say what it holds here, such as 'bias: f32[64, 128]'
// CHECK: :[[#@LINE+5]]:12: error: member 'b.flag' of type 'bool' is not in the annotation: a capture would freeze its value [graphed-mismatch]
// CHECK: :[[#@LINE+4]]:54: note: 'flag: key' captures one graph for each value
// CHECK: fix-it:"{{.*}}":{[[#@LINE+3]]:54-[[#@LINE+3]]:54}:", flag: key"
// CHECK: note: 'flag: const' keeps the first call's value; another is an error
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:54-[[#@LINE+1]]:54}:", flag: const"
GRAPHED(b: {obs: f32[2], layers: {weight: f32[2]} * 2})
void missing(const Batch& b);

// CHECK: :[[#@LINE+4]]:18: error: member 'b.obs' holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]' [graphed-mismatch]
// CHECK: :[[#@LINE+4]]:29: note: 'b' is declared here with type 'const Batch &'
// CHECK: :[[#@LINE+2]]:29: error: member 'b.flag' is not a tensor: it takes 'key' or 'const' [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:45: error: member 'b.layers[0]' is a struct: say what its members are, in braces [graphed-mismatch]
GRAPHED(b: {obs: key, flag: f32[2], layers: f32[2] * 2})
void exchanged(const Batch& b);

// CHECK: :[[#@LINE+3]]:12: error: parameter 'l' is a struct: its members need names [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:33: error: parameter 'm' is a struct: say what its members are, in braces [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:75: error: parameter 'n' is not a list: it takes no count [graphed-mismatch]
GRAPHED(l: {f32[2], f32[2]}, m: f32[2], n: {weight: f32[2], bias: f32[2]} * 2)
void forms(Layer l, Layer m, Layer n);

// CHECK: :[[#@LINE+4]]:12: error: parameter 't' has 2 members, not 3 [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:41: error: parameter 'u' is a tuple: its members have no names [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:65: error: parameter 'x' is one tensor: it takes no braces [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:87: error: parameter 'a' has 3 elements, not 4 [graphed-mismatch]
GRAPHED(t: {f32[2], f32[2], f32[2]}, u: {a: f32[2], b: key}, x: {f32[2]}, a: f32[2] * 4)
void positions(std::pair<torch::Tensor, torch::Tensor> t, std::pair<torch::Tensor, int> u, torch::Tensor x, std::array<torch::Tensor, 3> a);

// CHECK: :[[#@LINE+6]]:19: error: parameter 'sizes' is an array: say how many, such as '* 2' [graphed-mismatch]
// CHECK: :[[#@LINE+5]]:36: error: parameter 'rates' has 3 elements, not 2 [graphed-mismatch]
// CHECK: :[[#@LINE+4]]:46: error: parameter 'n' is one value: it takes no count [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:55: error: parameter 'xs' holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]' [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:{{[0-9]+}}: error: parameter 'modes' of type 'std::array<bool, 4>' is not in the annotation [graphed-mismatch]
// CHECK: note: say what it holds here, such as 'modes: key * 4'
GRAPHED(sizes: key, rates: const * 2, n: key * 1, xs: key * 3)
void values(std::array<int, 2> sizes, std::array<double, 3> rates, int n, std::vector<torch::Tensor> xs, std::array<bool, 4> modes);

// CHECK: :[[#@LINE+5]]:29: error: member 'xs[1]' is one tensor: it takes no count [graphed-mismatch]
// CHECK: :[[#@LINE+4]]:47: error: parameter 'ys' is a list of tensors, none of which can be absent [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:61: error: parameter 'a' has 2 elements, not 1 [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:89: error: parameter 'ms' holds maps, whose keys are the same in each of its elements [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:108: error: member 'ls[0]' is a struct: say what its members are, in braces [graphed-mismatch]
GRAPHED(xs: {f32[2], f32[3] * 2}, ys: {f32[2] optional}, a: {f32[2]}, ms: {{x: f32[2]}, {y: f32[2]}}, ls: {f32[2]})
void elements(std::vector<torch::Tensor> xs, at::TensorList ys, std::array<torch::Tensor, 2> a,
              std::vector<std::map<std::string, torch::Tensor>> ms, std::vector<Layer> ls);

// CHECK: error: parameter 'b' of type 'const Batch &' is not in the annotation [graphed-mismatch]
// CHECK: note: say what it holds here, such as 'b: {obs: f32[64, 128], flag: key, layers: {weight: f32[64, 128], bias: f32[64, 128]} * 3}'
GRAPHED() void whole(const Batch& b);

// CHECK: error: parameter 'ls' is a list: say how many, such as '* 3' [graphed-mismatch]
// CHECK: error: member 'grid[0]' is a list of tensors: say how many, such as '* 3' [graphed-mismatch]
// CHECK: error: parameter 'm' is a map: its members need names [graphed-mismatch]
GRAPHED(ls: {weight: f32[2], bias: f32[2]}, grid: f32[2] * 2, m: {f32[2]})
void lists(std::vector<Layer> ls, std::vector<std::vector<torch::Tensor>> grid, std::map<std::string, torch::Tensor> m);
