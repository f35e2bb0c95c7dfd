// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are the same in each call of a key, whatever computes them: limits, truth values as numbers, macros. And one that is not.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <algorithm>

#define EPS 1e-5
#define TWICE (EPS * 2)
#define ROWS 4
constexpr int64_t kMost = 100000;

GRAPHED(x: f32[ROWS * 2], n: key) torch::Tensor of_a_key(const torch::Tensor& x, int64_t n) {
  const int64_t most = std::min<int64_t>(n, 100000);
  const int64_t least = std::max(n, int64_t{1});
  const float scale = n > 3;
  return at::full({std::min(most, least)}, EPS) + at::full({most}, TWICE * scale) + at::full({ROWS}, scale);
}

GRAPHED(x: f32[B]; B in {ROWS, 2 * ROWS}) torch::Tensor of_a_dimension(const torch::Tensor& x) {
  const int64_t most = std::min(x.size(0), kMost);
  if (most > 5) {
    return at::full({most}, float(x.size(0) > ROWS));
  }
  return at::full({std::min<int64_t>(x.size(0), 2)}, EPS);
}

struct Config {
  bool on = true;
  int64_t most = 3;
};
struct Policy {
  GRAPHED(x: f32[8], training: key) torch::Tensor of_the_object(const torch::Tensor& x, bool training) {
    const float factor = training;
    const double other = config.on;
    return at::full({std::clamp<int64_t>(config.most, 1, 5)}, factor * other * TWICE);
  }
  Config config;
};

GRAPHED(x: f32[8]) torch::Tensor of_values(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:47: error: 'item' reads a tensor's value on the host
  const int64_t n = std::min<int64_t>(x.sum().item<int64_t>(), 100000);
  return at::full({n}, 1.0);
}
