// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are made on the host, and copied to the device: by every function that makes one, and through operators.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

GRAPHED(x: f32[8]) void copied(const torch::Tensor& x) {
  // CHECK: host-factories.cpp:[[#@LINE+2]]:25: warning: 'to' copies a tensor of the host to the device, which a graph can do from pinned memory only [graphed-host-memory]
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::hann_window(8).to(x.device());
  // CHECK: :[[#@LINE+2]]:32: error: 'cuda' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::normal(0.0, 1.0, {8}).cuda();
  // CHECK: :[[#@LINE+2]]:29: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::triu_indices(8, 8).to(x.device());
  // CHECK: :[[#@LINE+2]]:26: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::fft::fftfreq(8).to(x.device());
  // CHECK: :[[#@LINE+2]]:66: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::nn::TransformerImpl::generate_square_subsequent_mask(8).to(x.device());
  // CHECK: :[[#@LINE+2]]:61: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:15: note: the tensor is made here
  torch::cat({torch::zeros({4}), torch::full({4}, 1.0)}, 0).to(x.device());
  const auto steps = torch::arange(8.0) / 8.0;
  // CHECK: :[[#@LINE+2]]:16: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-2]]:22: note: the tensor is made here
  steps.tanh().to(x.device());
}

// On the device from the first, or there already; and what may be.
torch::Tensor unknown();
GRAPHED(x: f32[8]) void safe(const torch::Tensor& x) {
  const torch::Tensor anywhere = unknown();
  torch::hann_window(8, x.options()).to(x.device());
  torch::normal(0.0, 1.0, {8}, x.device()).to(x.device());
  torch::normal(x, 1.0).to(x.device());
  torch::nn::TransformerImpl::generate_square_subsequent_mask(8).to(torch::kFloat);
  torch::cat({torch::zeros({4}), x}, 0).to(x.device());
  torch::cat({torch::zeros({4}), anywhere}, 0).to(x.device());
  (torch::arange(8.0, x.device()) / 8.0).to(x.device());
  torch::hann_window(8).to(torch::kFloat);
  auto moved = torch::hann_window(8);
  moved = x + x;
  moved.to(x.device());
}
