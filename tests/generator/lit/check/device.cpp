// SPDX-License-Identifier: Apache-2.0
//
// Tensors made on other devices.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: warning: a tensor is made on the host
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::host(); }

GRAPHED(x: f32[2]) void on_the_host(const torch::Tensor& x) {
  // CHECK: device.cpp:[[#@LINE+1]]:10: warning: a tensor is made on the host, whose operators a graph of a GPU leaves out: they run at the capture only [graphed-device]
  torch::zeros({2}, torch::kCPU);
  // CHECK: :[[#@LINE+1]]:10: warning: a tensor is made on the host
  torch::zeros({2}, torch::TensorOptions().device(torch::kCPU));
  torch::Device device = torch::kCPU;
  const auto options = torch::TensorOptions().device(device);
  // CHECK: :[[#@LINE+1]]:10: warning: a tensor is made on the host
  torch::zeros({2}, options);
}

GRAPHED(x: f32[2]) void two_devices(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+3]]:21: warning: a second GPU: a graph holds the work of one [graphed-device]
  // CHECK: :[[#@LINE+1]]:21: note: a different device is named here
  torch::zeros({2}, torch::Device(torch::kCUDA, 0));
  torch::zeros({2}, torch::Device(torch::kCUDA, 1));
}
GRAPHED(x: f32[2]) void by_text(const torch::Tensor& x) {
  const torch::Device first("cuda:0");
  // CHECK: :[[#@LINE+2]]:23: warning: a second GPU
  // CHECK: :[[#@LINE-2]]:23: note: a different device
  const torch::Device second("cuda:1");
}

// One GPU, and the one that a tensor is on.
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  torch::zeros({2}, torch::Device(torch::kCUDA, 1));
  torch::zeros({2}, torch::Device("cuda:1"));
  torch::zeros({2}, torch::kCUDA);
  torch::zeros({2}, x.device());
  torch::zeros({2});
}

// A table of numbers, and one that is computed with.
GRAPHED(x: f32[2]) torch::Tensor of_numbers(const torch::Tensor& x) {
  const auto scales = torch::zeros({2}, torch::kCPU);
  // CHECK: :[[#@LINE+1]]:31: warning: a tensor is made on the host
  const auto offsets = torch::zeros({2}, torch::kCPU);
  // CHECK: :[[#@LINE+1]]:28: warning: a tensor is made on the host
  const auto bias = torch::zeros({2}, torch::kCPU);
  // CHECK: :[[#@LINE+1]]:21: warning: a tensor is made on the host
  auto set = torch::zeros({2}, torch::kCPU);
  set[0] = bias;
  const float offset = offsets[0].item<float>();
  return x / scales[1].item<float>() + offsets * torch::zeros({2}) / offset;
}

#define MAKE() torch::zeros({2}, torch::kCPU)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: a tensor is made on the host
  // CHECK: note: expanded from macro 'MAKE'
  MAKE();
}

template <at::DeviceType Where>
void make() {
  // CHECK: :[[#@LINE+2]]:10: warning: a tensor is made on the host
  // CHECK: note: called from 'in_a_template' here
  torch::zeros({2}, Where);
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { make<torch::kCPU>(); }
GRAPHED(x: f32[2]) void in_a_safe_template(const torch::Tensor& x) { make<torch::kCUDA>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  torch::zeros({2}, torch::kCPU);  // graphgen: allow(graphed-device)
}
GRAPHED(x: f32[2]; allow = graphed-device) void allowed(const torch::Tensor& x) { torch::zeros({2}, torch::kCPU); }
