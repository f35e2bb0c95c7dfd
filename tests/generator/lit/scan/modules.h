// SPDX-License-Identifier: Apache-2.0
//
// Modules of torch::nn, with and without a holder.
// RUN: graphgen --dump-plan %s %flags | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: "name": "NetImpl::forward"
// CHECK: "object": "NetImpl"
// CHECK: "module": true
struct NetImpl : torch::nn::Module {
  GRAPHED(x: f32[8, 16]) torch::Tensor forward(const torch::Tensor& x);
};
TORCH_MODULE(Net);

// CHECK: "name": "CloneableImpl::forward"
// CHECK: "module": true
struct CloneableImpl : torch::nn::Cloneable<CloneableImpl> {
  GRAPHED(x: f32[8, 16]) torch::Tensor forward(torch::Tensor x);
};

// CHECK: "name": "Deeper::forward"
// CHECK: "module": true
struct Deeper : NetImpl {
  GRAPHED(x: f32[8, 16]) torch::Tensor forward(torch::Tensor x) const;
};

// CHECK: "name": "Plain::forward"
// CHECK: "module": false
struct Plain {
  GRAPHED(x: f32[8, 16]) torch::Tensor forward(torch::Tensor x);
};
