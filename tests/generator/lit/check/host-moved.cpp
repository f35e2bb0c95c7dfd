// SPDX-License-Identifier: Apache-2.0
//
// Tensors of the host that operators copy to the device of another one.
// RUN: graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <ATen/Functions.h>
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

torch::Tensor unknown();

// What operators make of numbers and sizes is copied once, ahead of the replays.
GRAPHED(x: f32[8, 4] inplace, m: bool[8, 4]) void constants(torch::Tensor& x, const torch::Tensor& m) {
  torch::where(m, torch::tensor(1.0), torch::zeros({}));
  x.index({torch::nullopt, torch::tensor({2, 1, 0})});
  x.index_put_({torch::tensor({1, 3})}, x);
  x[0] = torch::tensor({1.0, 2.0, 3.0, 4.0});
  x.index({0}) = torch::arange(4.0);
  x.index_put_({torch::nullopt}, torch::eye(4));
  x.select(0, 1).copy_(torch::arange(4.0));
}

GRAPHED(x: f32[8], m: bool[8]) void chosen(const torch::Tensor& x, const torch::Tensor& m) {
  // CHECK: host-moved.cpp:[[#@LINE+2]]:10: warning: 'where' copies a tensor of the host to the device, which a graph can do of constants only [graphed-host-memory]
  // CHECK: :[[#@LINE+1]]:19: note: the tensor is made here
  torch::where(m, torch::randn({}), torch::randn({}));
  // CHECK: :[[#@LINE+2]]:10: warning: 'where' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:22: note: the tensor is made here
  torch::where(m, x, torch::randn({}));
  // CHECK: :[[#@LINE+2]]:5: warning: 'where' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:14: note: the tensor is made here
  x.where(m, torch::randn({}));
  // Numbers become tensors of the device; of the host alone nothing is copied; of unknown ones that is unknown.
  torch::where(m, x, 0.0);
  torch::where(m, 1.0, 0.0);
  torch::where(m, x, torch::tensor(0.0, torch::kCUDA));
  torch::where(m, x, torch::zeros({}, x.device()));
  torch::where(torch::zeros({8}), torch::tensor(1.0), torch::tensor(0.0));
  torch::where(unknown(), unknown(), torch::zeros({}));
}

GRAPHED(x: f32[8, 4], i: i64[2]) void indexed(const torch::Tensor& x, const torch::Tensor& i) {
  auto y = x.clone();
  // CHECK: :[[#@LINE+2]]:5: warning: 'index' copies a tensor of the host to the device
  // CHECK: :[[#@LINE+1]]:28: note: the tensor is made here
  x.index({torch::nullopt, torch::randn({3})});
  // CHECK: :[[#@LINE+2]]:5: warning: 'index' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:12: note: the tensor is made here
  x.index({torch::randn({3})});
  // CHECK: :[[#@LINE+2]]:7: warning: 'index' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:17: note: the tensor is made here
  at::index(x, {torch::randn({2})});
  // CHECK: :[[#@LINE+2]]:5: warning: 'index_put_' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:17: note: the tensor is made here
  y.index_put_({torch::randn({2})}, x);
  x.index({i});
  x.index({torch::arange(3.0, x.options())});
  // One number is read, not copied.
  x.index({torch::tensor(1)});
  torch::zeros({8}).index({torch::tensor({1, 3})});
  unknown().index({torch::arange(3.0)});
}

GRAPHED(x: f32[8, 4] inplace) void written(torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:8: warning: '=' copies a tensor of the host to the device
  // CHECK: :[[#@LINE+1]]:10: note: the tensor is made here
  x[0] = torch::randn({4});
  // CHECK: :[[#@LINE+2]]:16: warning: '=' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:18: note: the tensor is made here
  x.index({0}) = torch::randn({4});
  // CHECK: :[[#@LINE+2]]:5: warning: 'index_put_' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:21: note: the tensor is made here
  x.index_put_({0}, torch::randn({4}));
  // CHECK: :[[#@LINE+2]]:5: warning: 'index_put_' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:34: note: the tensor is made here
  x.index_put_({torch::nullopt}, torch::randn({4}));
  // CHECK: :[[#@LINE+2]]:18: warning: 'copy_' copies a tensor of the host
  // CHECK: :[[#@LINE+1]]:24: note: the tensor is made here
  x.select(0, 1).copy_(torch::randn({4}));
  // Numbers are filled in.
  x[0] = 1.0;
  x.index_put_({0}, torch::tensor(1.0));
  x.index_put_({0}, 1.0);
  // Values of the device, and a tensor of the host.
  x.index_put_({torch::nullopt}, torch::eye(4, x.options()));
  x[0] = x[1];
  x[0] = torch::arange(4.0, x.options());
  x.select(0, 1).copy_(x.select(0, 2));
  auto host = torch::zeros({4});
  host.copy_(torch::tensor({1.0, 2.0, 3.0, 4.0}));
  host.index_put_({torch::nullopt}, torch::tensor({1.0, 2.0, 3.0, 4.0}));
  // A variable is given another tensor, and nothing is copied.
  auto other = torch::zeros({4});
  other = torch::tensor({1.0});
}

GRAPHED(x: f32[8]; allow = graphed-host-memory) void silenced(const torch::Tensor& x) { torch::where(x, x, torch::randn({})); }
