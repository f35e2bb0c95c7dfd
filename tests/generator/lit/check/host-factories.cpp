// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are made on the host, and copied to the device: by every function that makes one, and through operators. What operators make
// of numbers and sizes is a constant.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

torch::Tensor unknown();
extern double number;

GRAPHED(x: f32[8], n: key) void constants(const torch::Tensor& x, int n) {
  torch::hann_window(8).to(x.device());
  torch::triu_indices(8, 8).to(x.device());
  torch::fft::fftfreq(8).cuda();
  torch::nn::TransformerImpl::generate_square_subsequent_mask(8).to(x.device());
  torch::cat({torch::zeros({4}), torch::full({4}, 1.0)}, 0).to(x.device());
  const auto steps = torch::arange(8.0 * n) / 8.0;
  steps.tanh().to(x.device());
  torch::tensor({1.0, 2.0}).to(torch::kCUDA);
  torch::zeros({x.size(0)}).to(x);
  const auto grid = torch::meshgrid({torch::arange(4.0), torch::arange(4.0)}, "ij");
  torch::cat({grid[0], grid[1]}).to(x.device());
}

GRAPHED(x: f32[8]) void copied(const torch::Tensor& x) {
  // CHECK: host-factories.cpp:[[#@LINE+2]]:32: error: 'cuda' copies a tensor of the host to the device, which a graph can do of constants only [graphed-host-memory]
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::normal(0.0, 1.0, {8}).cuda();
  // CHECK: :[[#@LINE+2]]:68: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:15: note: the tensor is made here
  torch::cat({torch::zeros({4}), torch::normal(0.0, 1.0, {4})}, 0).to(x.device());
  // CHECK: :[[#@LINE+2]]:28: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::full({4}, number).to(x.device());
  auto table = torch::zeros({4});
  table[0] = 2.0;
  // CHECK: :[[#@LINE+2]]:9: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-3]]:16: note: the tensor is made here
  table.to(x.device());
  auto mask = torch::zeros({4});
  mask.data_ptr<float>()[0] = 2.0;
  // CHECK: :[[#@LINE+2]]:8: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-3]]:15: note: the tensor is made here
  mask.to(x.device());
  // CHECK: :[[#@LINE+2]]:21: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:3: note: the tensor is made here
  torch::empty({4}).to(x.device());
}

// On the device from the first, or there already; and what may be.
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

// What functions of the file return.
torch::Tensor halves(std::int64_t count) {
  const auto steps = torch::normal(0.0, 1.0, {8});
  if (count > 4) {
    return steps / 2.0;
  }
  return torch::normal(0.0, 1.0, {count});
}
torch::Tensor on_device(const torch::Tensor& x) { return torch::hann_window(8, x.options()); }
torch::Tensor either(const torch::Tensor& x, bool on) {
  if (on) {
    return torch::normal(0.0, 1.0, {8});
  }
  return x;
}
struct Banks {
  static torch::Tensor made() { return torch::normal(0.0, 1.0, {8}); }
  virtual torch::Tensor chosen() { return torch::normal(0.0, 1.0, {8}); }
  torch::Tensor held() { return kept; }
  torch::Tensor kept = torch::normal(0.0, 1.0, {8});
};
GRAPHED(x: f32[8], on: key) void returned(const torch::Tensor& x, bool on) {
  // CHECK: :[[#@LINE+2]]:13: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-21]]:22: note: the tensor is made here
  halves(8).to(x.device());
  // CHECK: :[[#@LINE+2]]:17: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-10]]:40: note: the tensor is made here
  Banks::made().to(x.device());
  const auto window = [](std::int64_t count) { return torch::normal(0.0, 1.0, {count}); };
  // CHECK: :[[#@LINE+2]]:13: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-2]]:55: note: the tensor is made here
  window(8).to(x.device());
  on_device(x).to(x.device());
  either(x, on).to(x.device());
  Banks banks;
  // CHECK: :[[#@LINE+2]]:18: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-19]]:43: note: the tensor is made here
  banks.chosen().to(x.device());
  // CHECK: :[[#@LINE+2]]:16: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-20]]:24: note: the tensor is made here
  banks.held().to(x.device());
}

// Variables that are assigned, by what they hold at the place.
GRAPHED(x: f32[8], on: key) void assigned(const torch::Tensor& x, bool on) {
  auto moved = torch::normal(0.0, 1.0, {8});
  // CHECK: :[[#@LINE+2]]:17: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-2]]:16: note: the tensor is made here
  moved = moved.to(x.device());
  moved.to(x.device());
  auto changed = torch::normal(0.0, 1.0, {8});
  changed = changed.tanh();
  if (on) {
    // CHECK: :[[#@LINE+2]]:23: warning: 'cuda' copies a tensor of the host
    // CHECK: :[[#@LINE-4]]:18: note: the tensor is made here
    changed = changed.cuda();
  }
  torch::Tensor late;
  late = torch::normal(0.0, 1.0, {8});
  // CHECK: :[[#@LINE+2]]:15: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-2]]:10: note: the tensor is made here
  late = late.to(x.device());
  // CHECK: :[[#@LINE+2]]:70: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:9: note: the tensor is made here
  (on ? torch::normal(0.0, 1.0, {8}) : torch::normal(0.0, 1.0, {8})).to(x.device());
  (on ? torch::normal(0.0, 1.0, {8}) : x).to(x.device());
  auto other = torch::normal(0.0, 1.0, {8});
  other = x + x;
  other = other.to(x.device());
  auto turned = torch::normal(0.0, 1.0, {8});
  for (int i = 0; i < 2; ++i) {
    turned.to(x.device());
    turned = x + x;
  }
  auto later = torch::normal(0.0, 1.0, {8});
  const auto move = [&] { later.to(x.device()); };
  later = x + x;
  move();
  auto first = torch::normal(0.0, 1.0, {8});
  first = x + x;
  const auto second = first;
  second.to(x.device());
}

// Constants that outlive the call, and what may be another tensor in the next one.
const torch::Tensor constant = torch::hann_window(8);
torch::Tensor variable = torch::hann_window(8);
GRAPHED(x: f32[8]) void global(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:12: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-4]]:32: note: the tensor is made here
  constant.to(x.device());
  static const torch::Tensor once = torch::hann_window(8);
  // CHECK: :[[#@LINE+2]]:8: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-2]]:37: note: the tensor is made here
  once.to(x.device());
  static const torch::Tensor there = torch::hann_window(8).to(x.device());
  there.to(x.device());
  // CHECK: :[[#@LINE+2]]:12: warning: 'to' copies a tensor of the host
  // CHECK: :[[#@LINE-12]]:26: note: the tensor is made here
  variable.to(x.device());
}

struct Positions {
  Positions() { places = torch::arange(8); }
  GRAPHED(x: f32[8]) void assigned_in_a_constructor(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+2]]:12: warning: 'to' copies a tensor of the host
    // CHECK: :[[#@LINE-3]]:26: note: the tensor is made here
    places.to(x.device());
  }
  torch::Tensor places;
};
