// SPDX-License-Identifier: Apache-2.0
//
// What a constant leads to is none: calls look at it.
// RUN: rm -rf %t && graphgen --out-dir %t %s %flags 2>&1 | count 0
// RUN: FileCheck %s --input-file=%t/watched-constants.graphed.cpp
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Counter {
  mutable double hits = 0;
  double limit = 1;
};
inline const Counter counter;
inline double rate = 1;
inline constexpr double& by_reference = rate;
inline constexpr double fixed = 2;

// CHECK: watched_names[] = {"::counter.hits"};
GRAPHED(x: f32[4])
inline torch::Tensor counted(const torch::Tensor& x) { return x * counter.hits * counter.limit; }

// CHECK: watched_names[] = {"::by_reference"};
GRAPHED(x: f32[4])
inline torch::Tensor scaled(const torch::Tensor& x) { return x * by_reference * fixed; }

// Others may change the elements of a view.
struct Views {
  GRAPHED(x: f32[4])
  torch::Tensor run(const torch::Tensor& x) { return x * counters[0].limit * rates[1]; }
  const c10::ArrayRef<Counter> counters;
  const c10::ArrayRef<double> rates;
};
// CHECK: watched_names[] = {"counters.limit", "rates"};
