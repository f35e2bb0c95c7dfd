// SPDX-License-Identifier: Apache-2.0
//
// An annotation that does not match the declaration.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace app {
// CHECK: :[[#@LINE+2]]:9: error: 'obz' is not a parameter of 'app::misspelt'; did you mean 'obs'? [graphed-mismatch]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:9-[[#@LINE+1]]:12}:"obs"
GRAPHED(obz: f32[2]) void misspelt(torch::Tensor obs);

// CHECK: :[[#@LINE+1]]:20: error: 'weights' is not a parameter of 'app::unknown' [graphed-mismatch]
GRAPHED(x: f32[2], weights: f32[2]) void unknown(torch::Tensor x);

// CHECK: :[[#@LINE+3]]:52: error: parameter 'w' of type 'const torch::Tensor &' is not in the annotation [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:18: note: say its dtype and shape here, such as 'w: f32[64, 128]'
GRAPHED(x: f32[2])
void missing(torch::Tensor x, const torch::Tensor& w);

// CHECK: :[[#@LINE+3]]:12: error: parameter 'n' is not a tensor: it takes 'key' or 'const' [graphed-mismatch]
// CHECK: :[[#@LINE+3]]:24: note: 'n' is declared here with type 'int64_t'
// CHECK: :[[#@LINE+1]]:22: error: parameter 'x' holds tensors: it takes a dtype and a shape, such as 'f32[64, 128]' [graphed-mismatch]
GRAPHED(n: i64[], x: key)
void exchanged(int64_t n, torch::Tensor x);

// CHECK: :[[#@LINE+2]]:19: error: parameter 'xs' is a list of tensors: say how many, such as '* 3' [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: note: 'xs' is declared here with type 'at::TensorList'
GRAPHED(xs: f32[2]) void uncounted(at::TensorList xs);

// CHECK: :[[#@LINE+2]]:19: error: parameter 'x' is one tensor: it takes no count [graphed-mismatch]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:18-[[#@LINE+1]]:27}:""
GRAPHED(x: f32[2] * (1 + 2)) void counted(torch::Tensor x);

// CHECK: :[[#@LINE+2]]:20: error: parameter 'sizes' is one value of any length: it takes no count [graphed-mismatch]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:19-[[#@LINE+1]]:23}:""
GRAPHED(sizes: key * 2) void counted_values(at::IntArrayRef sizes);

// CHECK: :[[#@LINE+3]]:16: error: parameter 'sizes' is not a tensor: it takes 'key' or 'const' [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:35: error: parameter 'scale' is not a graphed::Scalar, which 'live' needs: it takes 'key' or 'const' [graphed-mismatch]
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: parameter 'on' of type 'at::Device' is not in the annotation: a capture would freeze its value [graphed-unmarked-parameter]
GRAPHED(sizes: i64[2] * 3, scale: live)
void exchanged_values(std::vector<int64_t> sizes, std::optional<double> scale, at::Device on);

// CHECK: :[[#@LINE+2]]:24: error: parameter 'xs' is a list of tensors, none of which can be absent [graphed-mismatch]
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: note: 'xs' is declared here with type 'std::vector<torch::Tensor>'
GRAPHED(xs: f32[2] * 3 optional) void absent_elements(std::vector<torch::Tensor> xs);
}  // namespace app
