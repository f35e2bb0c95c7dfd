// SPDX-License-Identifier: Apache-2.0
//
// What seems to be a size that varies, in whatever other tools write for it, is reported as a dimension variable; a misspelt constant too.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+2]]:16: error: 'B' names nothing here, or more than one thing [graphed-dimension]
// CHECK: :[[#@LINE+1]]:16: note: a size that varies is a dimension variable, whose values follow the arguments: '; B in {1, 8, 64}'
GRAPHED(x: f32[B, 4]) void without_values(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:19: error: unexpected character '?'; a size that varies is a dimension variable, as B in 'f32[B, 4]; B in {1, 8, 64}', or in 'B in any 4' [graphed-syntax]
GRAPHED(x: f32[8, ?]) void question(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: expected a dimension, got '*'; a size that varies is a dimension variable, as B in 'f32[B, 4]; B in {1, 8, 64}', or in 'B in any 4' [graphed-syntax]
GRAPHED(x: f32[*, 4]) void star(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: expected a dimension, got ':'; a size that varies is a dimension variable, as B in 'f32[B, 4]; B in {1, 8, 64}', or in 'B in any 4' [graphed-syntax]
GRAPHED(x: f32[:, 4]) void colon(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: a dimension is at least 0, but '-1' is -1; a size that varies is a dimension variable, as B in 'f32[B, 4]; B in {1, 8, 64}', or in 'B in any 4' [graphed-dimension]
GRAPHED(x: f32[-1, 4]) void minus_one(torch::Tensor x);
// CHECK: :[[#@LINE+2]]:25: error: expected 'in' before the values of the dimension variable 'B', got '=' [graphed-syntax]
// CHECK: fix-it:"{{.*}}":{[[#@LINE+1]]:25-[[#@LINE+1]]:26}:"in"
GRAPHED(x: f32[B, 4]; B = {1, 2}) void assigned(torch::Tensor x);

namespace sizes {
constexpr int kObs = 4, kBatch = 8;
enum { kActions = 3 };
struct Net {
  static constexpr int kHidden = 16;
  // CHECK: :[[#@LINE+5]]:18: error: 'kObz' names nothing here, or more than one thing; did you mean 'kObs'? [graphed-dimension]
  // CHECK: fix-it:"{{.*}}":{[[#@LINE+4]]:18-[[#@LINE+4]]:22}:"kObs"
  // CHECK: fix-it:"{{.*}}":{[[#@LINE+3]]:42-[[#@LINE+3]]:46}:"kObs"
  // CHECK: :[[#@LINE+2]]:24: error: 'kActoins' {{.*}}; did you mean 'kActions'? [graphed-dimension]
  // CHECK: :[[#@LINE+1]]:34: error: 'kHiden' {{.*}}; did you mean 'kHidden'? [graphed-dimension]
  GRAPHED(x: f32[kObz, kActoins, kHiden, kObz]) void misspelt(torch::Tensor x);
  // CHECK: :[[#@LINE+1]]:18: error: 'Batch' names nothing here, or more than one thing; did you mean 'Bathc'? [graphed-dimension]
  GRAPHED(x: f32[Batch, Bathc]; Bathc in {1, 2}) void variable(torch::Tensor x);
};
}  // namespace sizes
