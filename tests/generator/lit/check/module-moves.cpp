// SPDX-License-Identifier: Apache-2.0
//
// Modules that a call moves to a device and back.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/nn.h>

struct Net : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x + x; }
};

struct Trainer {
  GRAPHED(x: f32[8]) torch::Tensor there_and_back(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:10: warning: 'to' gives the tensors of a module other memory in each call, which a replay cannot do [graphed-metadata]
    net->to(torch::kCUDA);
    const torch::Tensor y = net->forward(x);
    // CHECK: :[[#@LINE+1]]:10: warning: 'to' gives the tensors of a module other memory in each call
    net->to(torch::kCPU);
    return y;
  }

  // Where it is there already, nothing is moved.
  GRAPHED(x: f32[8]) torch::Tensor there(const torch::Tensor& x) {
    net->to(torch::kCUDA);
    other->to(torch::kCPU);
    net->to(torch::kCUDA);
    return net->forward(x);
  }

  std::shared_ptr<Net> net, other;
};
