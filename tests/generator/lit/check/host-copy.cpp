// SPDX-License-Identifier: Apache-2.0
//
// Tensors copied to the host.
// RUN: not graphgen --check --checks=-graphed-device %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/reads.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: reads.h:13:{{[0-9]+}}: error: 'cpu' copies a tensor to the host, which a graph cannot do [graphed-host-copy]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { reads::copy(x); }

const torch::Device host("cpu");

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  // CHECK: host-copy.cpp:[[#@LINE+1]]:18: error: 'cpu' copies a tensor to the host, which a graph cannot do [graphed-host-copy]
  auto y = (x+x).cpu();
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(torch::kCPU);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(at::DeviceType::CPU, false);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(torch::Device("cpu:0"));
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(host);
  // CHECK: :[[#@LINE+1]]:5: error: 'to' copies
  x.to(torch::TensorOptions().device(torch::kCPU).dtype(torch::kFloat));
}

// CHECK: :[[#@LINE+4]]:5: warning: 'copy_' writes into a tensor on the host, which a graph can do in pinned memory only [graphed-host-copy]
// CHECK: :[[#@LINE+2]]:12: note: the tensor is made here
GRAPHED(x: f32[2]) void into_a_host_tensor(const torch::Tensor& x) {
  auto y = torch::zeros({2}, torch::kCPU);
  y.copy_(x);
}

// Other devices, no device, one that may be either, and copies that nobody waits for.
GRAPHED(x: f32[2], fast: key) void safe(const torch::Tensor& x, bool fast) {
  x.to(torch::kCUDA);
  x.to(torch::kFloat);
  x.to(x.device());
  x.to(x.device(), true);
  x.to(fast ? torch::kCUDA : torch::kCPU);
  x.to(torch::kCPU, /*non_blocking=*/true);
  torch::zeros({2}).copy_(x);
  torch::zeros({2}, torch::kCUDA).copy_(x);
}

#define HOST(tensor) tensor.cpu()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: 'cpu' copies
  // CHECK: :[[#@LINE-3]]:29: note: expanded from macro 'HOST'
  HOST(x);
}

template <at::DeviceType Where>
void moved(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:5: error: 'to' copies
  // CHECK: note: called from 'in_a_template' here
  x.to(Where);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { moved<torch::kCPU>(x); }
GRAPHED(x: f32[2]) void in_a_safe_template(const torch::Tensor& x) { moved<torch::kCUDA>(x); }
