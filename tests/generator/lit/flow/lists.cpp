// SPDX-License-Identifier: Apache-2.0
//
// What a list made here holds, and where what modules give is.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <check/factories.h>
#include <graphed/annotate.h>
#include <torch/nn.h>

#include <vector>

using torch::Tensor;

struct Net {
  GRAPHED(x: f32[8]) Tensor of_the_host(const Tensor& x) {
    std::vector<Tensor> rows;
    for (int i = 0; i < 3; ++i) {
      rows.push_back(torch::randn({4}));
    }
    // CHECK: :[[#@LINE+1]]:29: warning: 'to' copies a tensor of the host to the device
    return torch::cat(rows).to(x.device());
  }

  GRAPHED(x: f32[8]) Tensor of_the_device(const Tensor& x) {
    std::vector<Tensor> rows;
    rows.push_back(x + x);
    rows.push_back(x);
    return torch::cat(rows).to(x.device());
  }

  GRAPHED(x: f32[8]) Tensor beside_what_a_module_gives(const Tensor& x) {
    Tensor y = layer->forward(x);
    // CHECK: :[[#@LINE+1]]:7: warning: 'index_put_' copies a tensor of the host to the device
    y.index_put_({torch::randn({3})}, x);
    return y;
  }

  torch::nn::Linear layer;
};
