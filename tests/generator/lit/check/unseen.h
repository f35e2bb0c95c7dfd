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

// CHECK: :[[#@LINE+4]]:12: error: parameter 'x' takes no 'out', which is for a 'Tensor &' that the callable assigns, or such a member of a struct, tuple or array by reference: take it by reference to non-const, or say its dtype and shape [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:20: error: parameter 'n' takes no 'out', {{.*}}: return it [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:32: error: member 'b.x' takes no 'out', {{.*}} [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:56: error: parameter 'xs' takes no 'out', {{.*}}: say it of its tensors, such as '{out, out}' [graphed-mismatch]
GRAPHED(x: out, n: out, b: {x: out, name: ignore}, xs: out)
void no_outs(const torch::Tensor& x, int n, const Named& b, std::array<torch::Tensor, 2>& xs);

// CHECK: :[[#@LINE+6]]:15: error: parameter 'list' takes no 'out', {{.*}}: return it, or say what it holds before the call [graphed-mismatch]
// CHECK: :[[#@LINE+5]]:27: error: member 'some[0]' takes no 'out', {{.*}}: say its dtype and shape, or return the list, map or optional that it is in [graphed-mismatch]
// CHECK: :[[#@LINE+4]]:40: error: parameter 'named' takes no 'out', {{.*}}: say it of its members, such as '{loss: out}' [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:50: error: parameter 'may' takes no 'out', {{.*}}: return it, or say what it holds before the call [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:62: error: member 'both[0]' takes no 'out', {{.*}}: take it by reference to non-const, or say its dtype and shape [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:67: error: member 'both[1]' takes no 'out'
GRAPHED(list: out, some: {out}, named: out, may: out, both: {out, out})
void in_lists(std::vector<torch::Tensor>& list, std::vector<torch::Tensor>& some, Named& named, std::optional<torch::Tensor>& may,
              const std::array<torch::Tensor, 2>& both);

// CHECK: :[[#@LINE+1]]:21: error: member 'all[0].name' cannot be ignored: each call returns the list, map or optional that it is in [graphed-mismatch]
GRAPHED(all: {name: ignore, x: f32[2]} * 2)
void in_a_list(std::vector<Named>& all);

// CHECK: :[[#@LINE+3]]:19: error: member 'b.name' is ignored in the first annotation: it takes 'ignore' [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:39: error: parameter 'n' is not ignored in the first annotation [graphed-mismatch]
GRAPHED(b: {name: ignore, x: f32[2]}, n: key)
GRAPHED(b: {name: key, x: f32[4]}, n: ignore)
void in_one(const Named& b, int n);
