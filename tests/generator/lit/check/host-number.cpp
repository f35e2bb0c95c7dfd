// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the host that are written to places of a tensor.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

torch::Tensor unknown();

GRAPHED(x: f32[4, 4], i: i64[2], m: bool[4, 4]) void written(const torch::Tensor& x, const torch::Tensor& i, const torch::Tensor& m) {
  auto y = x.clone();
  // CHECK: host-number.cpp:[[#@LINE+1]]:5: error: 'index_put_' copies a number of the host to the device, which a graph can do of constants only [graphed-host-memory]
  y.index_put_({i}, 1.0);
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put_' copies a number of the host
  y.index_put_({0, i}, 1.0);
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put_' copies a number of the host
  y.index_put_({x.argmax(1)}, 1.0);
  const auto [highest, places] = x.max(1);
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put_' copies a number of the host
  y.index_put_({places.contiguous()}, 1.0);
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put_' copies a number of the host
  y.index_put_({x.to(torch::kLong)}, 1.0);
  // As many integers as dimensions leave one element.
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put_' copies a number of the host
  y.index_put_({3, 3}, 1.0);
  // CHECK: :[[#@LINE+1]]:18: error: 'index_put_' copies a number of the host
  y.select(0, 1).index_put_({2}, 1.0);
  // A tensor without dimensions, made on the host, is a number too.
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put' copies a number of the host
  x.index_put({i}, torch::zeros({}));
  // CHECK: :[[#@LINE+1]]:5: error: 'index_put' copies a number of the host
  x.index_put({unknown()}, torch::zeros({}), /*accumulate=*/true);
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask needs the places {{.*}} [graphed-dynamic-shape]
  x.index_put({m}, torch::zeros({}), /*accumulate=*/true);
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask needs the places
  x.index_put({m}, torch::zeros({1}, x.options()));
  const auto as_m = torch::TensorOptions().device(m.device());
  // CHECK: :[[#@LINE+1]]:5: error: writing a tensor at a mask needs the places
  x.index_put({m}, torch::zeros({1}, as_m.dtype(torch::kFloat)));
}

struct Net {
  GRAPHED(i: i64[2]) void marks(const torch::Tensor& i) {
    torch::Tensor& known = seen;
    // CHECK: :[[#@LINE+1]]:11: error: 'index_put_' copies a number of the host
    known.index_put_({i}, 1.0);
    // The member's place is not known.
    // CHECK: :[[#@LINE+1]]:10: warning: 'index_put_' copies a number of the host
    seen.index_put_({places, places}, 1.0);
  }
  torch::Tensor seen, places;
};

// What a graph holds.
GRAPHED(x: f32[4, 4], i: i64[2], m: bool[4, 4], n: u8[4]) void safe(const torch::Tensor& x, const torch::Tensor& i, const torch::Tensor& m, const torch::Tensor& n) {
  auto y = x.clone();
  // masked_fill_ and fill_.
  y.index_put_({m}, 1.0);
  y.index_put_({n}, 1.0);
  y.index_put_({x > 0.0}, 1.0);
  y.index_put_({3}, 1.0);
  y.index_put_({3, torch::nullopt}, 1.0);
  // Values of the device.
  y.index_put_({i}, x);
  y.index_put_({3, 3}, x.sum());
  y.index_put_({i}, torch::full({}, 1.0, x.options()));
  x.index_put({i}, torch::zeros({}, x.device()));
  // Reads.
  y.index({i});
  y.index({3, 3});
  // Of the host.
  torch::zeros({4}).index_put_({0}, 1.0);
  // A value of the host, at a mask.
  // CHECK: :[[#@LINE+1]]:27: warning: {{.*}} [graphed-device]
  x.index_put({m}, torch::zeros({1}, torch::TensorOptions().device(torch::kCPU)));
  // Masks or not: unknown.
  y.index_put_({unknown()}, 1.0);
}

GRAPHED(x: f32[4], i: i64[2]; allow = graphed-host-memory) void silenced(const torch::Tensor& x, const torch::Tensor& i) { x.clone().index_put_({i}, 1.0); }
