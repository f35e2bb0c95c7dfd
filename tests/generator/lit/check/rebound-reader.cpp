// SPDX-License-Identifier: Apache-2.0
//
// Calls carry a tensor that the callable replaces. Another callable that only reads it needs another capture after each of them.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Norm {
  torch::Tensor mean;
  // CHECK: rebound-reader.cpp:[[#@LINE+3]]:46: warning: the member 'mean' is made another tensor by each call of 'Agent::learn', with which no capture of 'Agent::act' goes on; write into it with 'copy_' [graphed-rebound]
  // CHECK: :[[#@LINE+6]]:75: note: 'Agent::act' reads it here
  // CHECK: note: called from 'Agent::learn' here
  void update(const torch::Tensor& x) { mean = mean * x; }
};
struct Agent {
  GRAPHED(x: f32[2]) void learn(const torch::Tensor& x) { norm.update(x); }
  GRAPHED(x: f32[2]) torch::Tensor act(const torch::Tensor& x) { return x + norm.mean; }
  Norm norm;

  // Both carry it.
  GRAPHED(x: f32[2]) torch::Tensor first(const torch::Tensor& x) { return h = (x + h).tanh(); }
  GRAPHED(x: f32[2]) torch::Tensor second(const torch::Tensor& x) { return h = (x * h).tanh(); }
  torch::Tensor h;

  // It stays.
  GRAPHED(x: f32[2]) void writes(const torch::Tensor& x) { weight.copy_(weight * x); }
  GRAPHED(x: f32[2]) torch::Tensor reads(const torch::Tensor& x) { return x + weight; }
  torch::Tensor weight;
};

// Of an object of another class.
struct Other {
  GRAPHED(x: f32[2]) torch::Tensor act(const torch::Tensor& x) { return x * norm.mean; }
  Norm norm;
};
