// SPDX-License-Identifier: Apache-2.0
//
// Members that are given other modules, and with them other tensors.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/nn.h>

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) void swaps(const torch::Tensor& x) {
    // CHECK: rebound-module.cpp:[[#@LINE+2]]:10: error: the member 'online' is another module for each call, which a graph cannot follow [graphed-rebound]
    // CHECK: :[[#@LINE+1]]:23: error: the member 'target' is another module for each call
    std::swap(online, target);
    // CHECK: :[[#@LINE+2]]:13: error: the member 'pointer' is another module for each call
    // CHECK: :[[#@LINE+1]]:18: error: the member 'other' is another module for each call
    pointer.swap(other);
  }

  GRAPHED(x: f32[2]) void assigns(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:12: warning: the member 'online' is given another module at the capture only, and replays use the tensors of the capture's [graphed-rebound]
    online = target;
    // CHECK: :[[#@LINE+1]]:13: warning: the member 'pointer' is given another module
    pointer = std::move(other);
    // CHECK: :[[#@LINE+1]]:11: warning: the member 'owned' is given another module
    owned.reset(new torch::nn::LinearImpl);
    if (x.size(0) > 1) {
      // CHECK: :[[#@LINE+1]]:14: warning: the member 'target' is given another module
      target = online;
    }
  }

  // Made once, in the warm-ups; and modules of the call.
  GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
    if (!pointer) {
      pointer = std::make_shared<torch::nn::LinearImpl>();
    }
    if (!other) {
      other = pointer;
    }
    torch::nn::Linear local = online, another = target;
    std::swap(local, another);
    local = online;
    std::shared_ptr<float> no_module, nor_this;
    std::swap(no_module, nor_this);
  }

  torch::nn::Linear online, target;
  std::shared_ptr<torch::nn::LinearImpl> pointer, other;
  std::unique_ptr<torch::nn::LinearImpl> owned;
};
