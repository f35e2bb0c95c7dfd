// SPDX-License-Identifier: Apache-2.0
//
// Numbers that a callable reads of tensors and returns are read after the replay; nothing else may be done with them.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

using torch::Tensor;

struct Report {
  Tensor twice;
  double sum = 0;
  std::vector<float> each;
};

GRAPHED(x: f32[4])
float loss(const Tensor& x) {
  const float value = x.sum().item<float>();
  return value;
}
GRAPHED(x: f32[4])
double converted(const Tensor& x) { return static_cast<double>(x.sum().item().toFloat()); }
GRAPHED(x: f32[4])
Report report(const Tensor& x) {
  Report report;
  report.twice = x * 2;
  report.sum = x.sum().item<double>();
  for (int i = 0; i < 4; ++i) {
    report.each.push_back(x[i].item<float>());
  }
  return report;
}
GRAPHED(x: f32[4])
std::pair<Tensor, bool> pair(const Tensor& x) { return {x * 2, x.sum().item<bool>()}; }
float helped(const Tensor& x) { return x.sum().item<float>(); }
GRAPHED(x: f32[4])
float by_a_function(const Tensor& x) { return helped(x * 2); }

// CHECK: :[[#@LINE+2]]:48: error: 'item' reads a tensor's value on the host, which a graph cannot do; keep it a tensor, or return it and read it after the call [graphed-host-item]
GRAPHED(x: f32[4])
float halved(const Tensor& x) { return x.sum().item<float>() / 2; }
// CHECK: :[[#@LINE+3]]:29: error: 'item' reads {{.*}} [graphed-host-item]
GRAPHED(x: f32[4])
std::pair<Tensor, float> used(const Tensor& x) {
  const float sum = x.sum().item<float>();
  return {x / sum, sum};
}
// CHECK: :[[#@LINE+3]]:31: error: a branch on a tensor's value, which 'item' reads on the host: a graph has one path; choose by torch::where, graphed::if_else or graphed::while_loop [graphed-host-branch]
GRAPHED(x: f32[4])
float chosen(const Tensor& x) {
  const float first = x.sum().item<float>();
  return first > 0 ? first : 0;
}
struct Keeper {
  // CHECK: :[[#@LINE+3]]:21: error: 'item' reads {{.*}} [graphed-host-item]
  GRAPHED(x: f32[4])
  float kept(const Tensor& x) {
    last_ = x.sum().item<float>();
    return last_;
  }
  float last_ = 0;
};

// A number that names an element of an array, or counts elements.
// CHECK: :[[#@LINE+4]]:28: error: 'item' reads {{.*}} [graphed-host-item]
GRAPHED(x: f32[4])
int64_t looked_up(const Tensor& x) {
  const int64_t values[4] = {1, 2, 3, 4};
  return values[x.argmax().item<int64_t>()];
}
// In braces, as a size.
// CHECK: :[[#@LINE+3]]:32: error: 'item' reads {{.*}} [graphed-host-item]
GRAPHED(x: f32[4])
std::pair<Tensor, int64_t> sized(const Tensor& x) {
  const int64_t n = x.argmax().item<int64_t>();
  return {torch::zeros({n, 2}), n};
}
GRAPHED(x: f32[4])
std::vector<float> in_braces(const Tensor& x) { return {x.sum().item<float>(), x.max().item<float>()}; }
// CHECK: :[[#@LINE+3]]:65: error: 'item' reads {{.*}} [graphed-host-item]
GRAPHED(x: f32[4])
std::vector<float> counted(const Tensor& x) {
  return std::vector<float>(static_cast<std::size_t>(x.argmax().item<int64_t>()), 0.0F);
}
