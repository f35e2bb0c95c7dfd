// SPDX-License-Identifier: Apache-2.0
//
// Samplers' loops over noise levels and time steps: a table of the host made of constants may be read, one of the device may not.
// RUN: not graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <cmath>

using torch::Tensor;

GRAPHED(x: f32[4], steps: key) Tensor karras(Tensor x, int steps) {
  const double low = std::pow(0.03, 1.0 / 7), high = std::pow(14.6, 1.0 / 7);
  const Tensor levels = (at::linspace(0.0, 1.0, steps) * at::full({1}, low - high) + at::full({1}, high)) * at::full({1}, 2.0);
  const auto sigmas = torch::cat({levels, torch::zeros({1})});
  for (int i = 0; i < steps; ++i) {
    const double sigma = sigmas[i].item<double>();
    const auto next = sigmas[i + 1].item<double>();
    if (next > 0.5) {
      x = x / (sigma - next);
    }
  }
  return x;
}

GRAPHED(x: f32[4], steps: key) Tensor timesteps(Tensor x, int steps) {
  const auto times = at::arange(1000.0);
  for (int i = steps - 1; i >= 0; --i) {
    x = x / times[i].item<float>();
  }
  return x;
}

// On the device, given, and changed in the loop.
GRAPHED(x: f32[4], sigmas: f32[8]) Tensor given(Tensor x, const Tensor& sigmas) {
  for (int i = 0; i < 8; ++i) {
    // CHECK: host-item-sigmas.cpp:[[#@LINE+1]]:23: error: 'item' reads a tensor's value on the host, which a graph cannot do; keep it a tensor, or return it and read it after the call [graphed-host-item]
    x = x / sigmas[i].item<float>();
  }
  return x;
}
GRAPHED(x: f32[4]) Tensor on_device(Tensor x) {
  const auto sigmas = at::full({8}, 1.0, x.options());
  for (int i = 0; i < 8; ++i) {
    // CHECK: :[[#@LINE+1]]:23: error: 'item' reads
    x = x / sigmas[i].item<float>();
  }
  return x;
}
GRAPHED(x: f32[4]) Tensor mixed(Tensor x) {
  const auto sigmas = torch::cat({at::full({8}, 1.0), x});
  for (int i = 0; i < 8; ++i) {
    // CHECK: :[[#@LINE+1]]:23: error: 'item' reads
    x = x / sigmas[i].item<float>();
  }
  return x;
}
GRAPHED(x: f32[4]) Tensor changed(Tensor x) {
  auto sigmas = at::full({8}, 1.0);
  for (int i = 0; i < 8; ++i) {
    // CHECK: :[[#@LINE+1]]:23: error: 'item' reads
    x = x / sigmas[i].item<float>();
    // CHECK: :[[#@LINE+2]]:12: warning: 'copy_' writes into a tensor on the host
    // CHECK: :[[#@LINE-5]]:17: note: the tensor is made here
    sigmas.copy_(x);
  }
  return x;
}
