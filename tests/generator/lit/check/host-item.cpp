// SPDX-License-Identifier: Apache-2.0
//
// A tensor's value read as a number: where, on which way, how sure.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

// CHECK: reads.h:9:{{[0-9]+}}: error: 'item' reads a tensor's value on the host, which a graph cannot do; keep it a tensor, or return it and read it after the call [graphed-host-item]
// CHECK: host-item.cpp:[[#@LINE+2]]:3: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) {
  reads::item(x);
}

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  // CHECK: host-item.cpp:[[#@LINE+1]]:23: error: 'item' reads a tensor's value on the host, which a graph cannot do; keep it a tensor, or return it and read it after the call [graphed-host-item]
  float sum = x.sum().item<float>();
  // CHECK: :[[#@LINE+1]]:23: error: 'item' reads
  auto scalar = (x*x).item();
  // CHECK: :[[#@LINE+1]]:5: error: 'is_nonzero' reads
  x.is_nonzero();
  // CHECK: :[[#@LINE+1]]:10: error: 'is_nonzero' reads
  torch::is_nonzero(x);
}

// A value that stays on the device, and what is not executed by a capture.
GRAPHED(x: f32[2]) torch::Tensor safe(const torch::Tensor& x) {
  static const float at_warm_up = x.item<float>();
  if constexpr (sizeof(x.item<float>()) == 1) {
    x.item<float>();
  }
  if (x.size(0) < 0) {
    x.item<float>();
    throw 1;
  }
  return torch::where(x.sum() > 1.0, x, x + x);
}

// An error that every call reaches; a warning under a condition, in a loop, and after a return that may be taken.
GRAPHED(x: f32[2], deep: key) void conditional(const torch::Tensor& x, bool deep) {
  if (deep) {
    // CHECK: :[[#@LINE+1]]:7: warning: 'item' reads
    x.item<float>();
  }
  for (int i = 0; i < 2; ++i) {
    // CHECK: :[[#@LINE+1]]:7: error: 'item' reads
    x.item<float>();
  }
  // CHECK: :[[#@LINE+1]]:5: error: 'item' reads
  x.item<float>();
  if (deep) {
    return;
  }
  // CHECK: :[[#@LINE+1]]:5: warning: 'item' reads
  x.item<float>();
}

// Tensors that a call makes on the host of shapes and constants.
GRAPHED(x: f32[4], steps: key) torch::Tensor of_the_host(torch::Tensor x, int steps) {
  static constexpr double last = 0.1;
  const auto sigmas = at::linspace(1.0, last, 5);
  for (int i = 0; i < steps; ++i) {
    x = x / sigmas[i].item();
  }
  float scale = torch::tensor(static_cast<double>(x.size(0))).item<float>();
  scale += at::_shape_as_tensor(x)[0].item<float>();
  scale += torch::zeros({x.size(0)}).sum().item<float>();
  scale += torch::tensor({1.0, std::sqrt(2.0)}).max().item<float>();
  scale += (at::linspace(0.0, 1.0, steps) * sigmas)[2].item<float>();
  if (sigmas.max().item<bool>()) {
    return x / scale;
  }
  return x;
}
double scale_of_the_day();
struct Scaled {
  double scale = 1;
  torch::Tensor table = at::linspace(0.0, 1.0, 5);
  GRAPHED(x: f32[4], y: f32[4]) void of_others(const torch::Tensor& x, const torch::Tensor& y) {
    // CHECK: :[[#@LINE+1]]:36: error: 'item' reads
    torch::zeros({2}, x.options()).item<float>();
    // CHECK: :[[#@LINE+1]]:43: error: 'item' reads
    torch::zeros({2}, torch::kCUDA).sum().item<float>();
    torch::tensor(scale).item<float>();  // the unit gives 'scale' one value
    // CHECK: :[[#@LINE+1]]:39: error: 'item' reads
    torch::tensor(scale_of_the_day()).item<float>();
    // CHECK: :[[#@LINE+1]]:29: error: 'item' reads
    torch::randn({2}).sum().item<float>();
    // CHECK: :[[#@LINE+1]]:14: error: 'item' reads
    table[0].item<float>();
    // CHECK: :[[#@LINE+1]]:13: error: 'item' reads
    y.sum().item<float>();
    // CHECK: :[[#@LINE+1]]:43: error: 'item' reads
    (at::linspace(0.0, 1.0, 4) + y).sum().item<float>();
    auto filled = torch::zeros({4});
    // CHECK: :[[#@LINE+2]]:12: warning: 'copy_' writes into a tensor on the host
    // CHECK: :[[#@LINE-2]]:19: note: the tensor is made here
    filled.copy_(y);
    // CHECK: :[[#@LINE+1]]:18: error: 'item' reads
    filled.sum().item<float>();
    auto part = torch::zeros({4});
    // CHECK: :[[#@LINE+2]]:13: warning: '=' writes into a tensor on the host
    // CHECK: :[[#@LINE-2]]:17: note: the tensor is made here
    part[0] = y[0];
    // CHECK: :[[#@LINE+1]]:16: error: 'item' reads
    part.sum().item<float>();
    auto other = torch::zeros({4});
    auto name = other;
    name.add_(y);
    // CHECK: :[[#@LINE+1]]:17: error: 'item' reads
    other.sum().item<float>();
    auto assigned = torch::zeros({4});
    assigned = y;
    // CHECK: :[[#@LINE+1]]:20: error: 'item' reads
    assigned.sum().item<float>();
  }
};

#define READ(tensor) (tensor).item<float>()
#define PASS(value) value
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'item' reads
  // CHECK: :[[#@LINE-4]]:31: note: expanded from macro 'READ'
  READ(x);
  // CHECK: :[[#@LINE+1]]:10: error: 'item' reads
  PASS(x.item<float>());
}

template <class T>
T scaled(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:12: error: 'item' reads
  // CHECK: :[[#@LINE+5]]:3: note: called from 'in_a_template' here
  return x.item<T>();
}

GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) {
  scaled<float>(x);
  scaled<double>(x);
}

torch::Tensor taken(const torch::Tensor& x, const torch::Tensor& i) {
  // CHECK: :[[#@LINE+2]]:12: error: an index by a tensor without dimensions
  // CHECK: note: called from 'indexed' here
  return x.index({i});
}

GRAPHED(x: f32[4, 3], t: i64[], i: i64[4], flag: bool[])
void indexed(const torch::Tensor& x, const torch::Tensor& t, const torch::Tensor& i, const torch::Tensor& flag) {
  // CHECK: host-item.cpp:[[#@LINE+1]]:5: error: an index by a tensor without dimensions reads its value on the host, which a graph cannot do; index_select does not, nor an index of one dimension, such as i.view(1) [graphed-host-item]
  x[t];
  // CHECK: :[[#@LINE+1]]:5: error: an index by a tensor
  x[i.argmax()];
  // CHECK: :[[#@LINE+1]]:5: error: an index by a tensor
  x.index({t});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a tensor
  x.index({flag});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a tensor
  x.index({0, i[2]});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a tensor
  x.index({i.select(0, 1) + t});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a tensor
  x.index({x.argmax()});
  // CHECK: :[[#@LINE+1]]:5: error: an index by a tensor
  x.index({i.argmax(0)});
  // CHECK: :[[#@LINE+1]]:11: error: an index by a tensor
  (x + x).index_put_({t}, 1.0);
  taken(x, i);
  taken(x, t);
}

// Indices that have dimensions, or of which that is unknown.
GRAPHED(x: f32[4, 3], t: i64[], i: i64[4])
void by_tensors(const torch::Tensor& x, const torch::Tensor& t, const torch::Tensor& i) {
  x[0];
  x.index({i});
  x.index({t.view({1})});
  x.index({t + i});
  x.index({x.argmax(0)});
  x.index({i.argmax(0, true)});
  torch::Tensor widened = t + t;
  widened.unsqueeze_(0);
  x.index({widened});
  x.index_select(0, t);
  (x + x).index_put({t}, x);
}
