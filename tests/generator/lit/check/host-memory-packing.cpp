// SPDX-License-Identifier: Apache-2.0
//
// What functions of LibTorch copy to the device on their own: orders, counts, sizes.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <graphed/annotate.h>
#include <torch/nn.h>

namespace rnn = torch::nn::utils::rnn;

GRAPHED(x: f32[5, 4, 8], n: i64[4]) void copies(const torch::Tensor& x, const torch::Tensor& n) {
  // CHECK: host-memory-packing.cpp:[[#@LINE+1]]:8: error: 'pack_padded_sequence' copies the order of its sequences to the device, which a graph cannot do [graphed-host-memory]
  rnn::pack_padded_sequence(x, n, /*batch_first=*/false, /*enforce_sorted=*/false);
  constexpr bool kSorted = false;
  // CHECK: :[[#@LINE+1]]:8: error: 'pack_padded_sequence' copies
  rnn::pack_padded_sequence(x, n, false, kSorted);
  // CHECK: :[[#@LINE+1]]:7: error: 'batch_norm_gather_stats' copies its count to the device, which a graph cannot do [graphed-host-memory]
  at::batch_norm_gather_stats(x, x, x, {}, {}, 0.1, 1e-5, 4);
  // CHECK: :[[#@LINE+1]]:7: warning: 'nested_to_padded_tensor' copies sizes to the device, which a graph cannot do [graphed-host-memory]
  at::nested_to_padded_tensor(x, 0.0);
}

namespace app {
torch::Tensor nested_to_padded_tensor(const torch::Tensor& x, double padding);
}
GRAPHED(x: f32[5, 4, 8]) void safe(const torch::Tensor& x) {
  rnn::pack_padded_sequence(x, torch::zeros({4}), false, /*enforce_sorted=*/true);
  app::nested_to_padded_tensor(x, 0.0);
}
