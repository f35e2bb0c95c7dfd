// SPDX-License-Identifier: Apache-2.0
//
// `out` and `ignore` where they cannot be.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <array>
#include <string>
#include <vector>

struct Named {
  std::string name;
  torch::Tensor x;
};

// CHECK: :[[#@LINE+4]]:12: error: parameter 'x' takes no 'out', which is for a 'Tensor &' that the callable assigns, or such a member of a struct or tuple by reference [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:20: error: parameter 'n' takes no 'out', {{.*}} [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:32: error: member 'b.x' takes no 'out', {{.*}} [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:56: error: parameter 'xs' takes no 'out', {{.*}} [graphed-mismatch]
GRAPHED(x: out, n: out, b: {x: out, name: ignore}, xs: out)
void no_outs(const torch::Tensor& x, int n, const Named& b, std::array<torch::Tensor, 2>& xs);

// CHECK: :[[#@LINE+1]]:21: error: member 'all[0].name' cannot be ignored: each call gives back the list, map or optional that it is in [graphed-mismatch]
GRAPHED(all: {name: ignore, x: f32[2]} * 2)
void in_a_list(std::vector<Named>& all);

// CHECK: :[[#@LINE+3]]:19: error: member 'b.name' is ignored in the first annotation: it takes 'ignore' [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:39: error: parameter 'n' is not ignored in the first annotation [graphed-mismatch]
GRAPHED(b: {name: ignore, x: f32[2]}, n: key)
GRAPHED(b: {name: key, x: f32[4]}, n: ignore)
void in_one(const Named& b, int n);
