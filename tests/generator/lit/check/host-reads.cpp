// SPDX-License-Identifier: Apache-2.0
//
// Functions of LibTorch that read on the host on their own.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <graphed/annotate.h>
#include <torch/nn.h>

GRAPHED(x: f32[4, 8], n: i64[2], y: f32[4, 8] inplace) void named(const torch::Tensor& x, const torch::Tensor& n, torch::Tensor& y) {
  // CHECK: host-reads.cpp:[[#@LINE+1]]:7: error: 'cov' reads a tensor's value on the host, which a graph cannot do [graphed-host-item]
  at::cov(x);
  // CHECK: :[[#@LINE+1]]:7: error: 'histc' reads
  at::histc(x, 10);
  // CHECK: :[[#@LINE+1]]:7: error: 'linspace' reads
  at::linspace(x, 1.0, 5);
  // CHECK: :[[#@LINE+1]]:7: error: 'normal' reads
  at::normal(x, x);
  // CHECK: :[[#@LINE+1]]:7: error: 'normal_out' reads
  at::normal_out(y, x, x);
  // CHECK: :[[#@LINE+1]]:7: error: 'searchsorted' reads
  at::searchsorted(x, x, false, false, std::nullopt, n);
  // CHECK: :[[#@LINE+1]]:7: error: 'segment_reduce' reads
  at::segment_reduce(x, "sum", n);
  // CHECK: :[[#@LINE+1]]:5: error: 'narrow' reads
  x.narrow(0, n, 1);
  // CHECK: :[[#@LINE+1]]:7: error: '_choose_qparams_per_tensor' reads
  at::_choose_qparams_per_tensor(x);
  // CHECK: :[[#@LINE+1]]:7: error: 'fused_moving_avg_obs_fake_quant' reads
  at::fused_moving_avg_obs_fake_quant(x, n, n, y, y, y, y, 0.1, 0, 255, 0, /*per_row_fake_quant=*/true);
  // CHECK: :[[#@LINE+1]]:7: error: 'quantize_per_channel' reads
  at::quantize_per_channel(x, x, n, 0, torch::kLong);
  // CHECK: :[[#@LINE+1]]:7: error: '_padded_dense_to_jagged_forward' reads
  at::_padded_dense_to_jagged_forward(x, {});
  // CHECK: :[[#@LINE+1]]:7: warning: 'randint_like' may read
  at::randint_like(x, n);
  // CHECK: :[[#@LINE+1]]:39: warning: 'DetectAnomalyGuard' may read
  torch::autograd::DetectAnomalyGuard anomalies;
  // CHECK: :[[#@LINE+1]]:26: warning: 'pad_packed_sequence' may read
  torch::nn::utils::rnn::pad_packed_sequence({});
  torch::nn::LSTM lstm;
  // CHECK: :[[#@LINE+2]]:9: error: 'forward_with_packed_input' reads
  // CHECK: :[[#@LINE+1]]:58: warning: 'pack_padded_sequence' may read
  lstm->forward_with_packed_input(torch::nn::utils::rnn::pack_padded_sequence(x, n));
  // CHECK: :[[#@LINE+1]]:7: warning: 'isin' may read a tensor's value on the host where it sorts: for more than a few sought values [graphed-host-item]
  at::isin(n, x);
  // CHECK: :[[#@LINE+1]]:5: warning: 'masked_fill' may read
  x.masked_fill(x > 0.0, x.max());
}

// With arguments of the host, and where nothing is looked at.
namespace app {
torch::Tensor cov(const torch::Tensor& x);
}
GRAPHED(x: f32[4, 8], n: i64[2]) void safe(const torch::Tensor& x, const torch::Tensor& n) {
  torch::Tensor y = x + x;
  app::cov(x);
  at::histc(x, 10, 0.0, 1.0);
  at::linspace(0.0, 1.0, 5);
  at::normal(x, 1.0);
  at::searchsorted(x, x);
  at::segment_reduce(x, "sum", n, {}, {}, 0, /*unsafe=*/true);
  x.narrow(0, 1, 1);
  at::isin(x, n, /*assume_unique=*/true);
  x.masked_fill(x > 0.0, 1.0);
  x.masked_fill(x > 0.0, torch::zeros({}));
  at::fused_moving_avg_obs_fake_quant(x, n, n, y, y, y, y, 0.1, 0, 255, 0);
  at::_padded_dense_to_jagged_forward(x, {}, 8);
  at::randint_like(x, 4);
  at::multinomial(x, 2);
  x.cumprod(0);
  at::trace(x);
}

GRAPHED(x: f32[4, 8] grad) torch::Tensor backwards(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:12: warning: the backward of 'cumprod' reads a tensor's value on the host, which a graph cannot do [graphed-host-item]
  return x.cumprod(0);
}

// index_fill_ with the gradient as its value.
GRAPHED(x: f32[8, 8] grad) torch::Tensor traced(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+1]]:14: warning: the backward of 'trace' reads
  return at::trace(x);
}

// Where it sorts is one version's kernels to know.
GRAPHED(x: f32[8, 8], few: f32[17]) void finds(const torch::Tensor& x, const torch::Tensor& few) {
  // CHECK: :[[#@LINE+1]]:7: warning: 'isin' may read
  at::isin(x, few);
  // CHECK: :[[#@LINE+1]]:7: warning: 'isin' may read
  at::isin(x + x, few + few);
}

// As much as a dimension holds.
GRAPHED(x: f32[4096, 2048], y: f32[2049], z: f32[N]; N in {64, 4096}) void sorts(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& z) {
  // CHECK: :[[#@LINE+1]]:7: warning: 'mode' may read a tensor's value on the host where the dimension has more than 2,048 numbers
  at::mode(x);
  // CHECK: :[[#@LINE+1]]:7: warning: 'mode' may read a tensor's value on the host where the dimension has more than 2,048 numbers
  at::mode(x, 0);
  // CHECK: :[[#@LINE+1]]:7: warning: 'mode' may read a tensor's value on the host where the dimension has more than 2,048 numbers
  at::mode(y);
  // CHECK: :[[#@LINE+1]]:7: warning: 'mode' may read a tensor's value on the host where the dimension has more than 2,048 numbers
  at::mode(z);
}

#define COVARIANCE(tensor) at::cov(tensor)
GRAPHED(x: f32[4, 8]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'cov' reads
  // CHECK: :[[#@LINE-3]]:32: note: expanded from macro 'COVARIANCE'
  COVARIANCE(x);
}

GRAPHED(x: f32[4, 8]) void silenced(const torch::Tensor& x) {
  at::cov(x);  // graphgen: allow(graphed-host-item)
}
