// SPDX-License-Identifier: Apache-2.0
//
// torch::optim's optimizers and schedulers, and clipping.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>
#include <graphed/clip_grad.h>
#include <graphed/optim.h>

torch::optim::Adam adam;

// CHECK: sync.h:{{[0-9]+}}:51: error: the step count of 'torch::optim::Adam' is on the host, where no graph can hold it; that of 'graphed::optim::Adam' is on the device [graphed-torch-optim]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]; step) void in_a_header(const torch::Tensor& x) { in_header::step(adam); }

struct Trainer {
  GRAPHED(x: f32[2]; step) void named(const torch::Tensor& x) {
    // CHECK: torch-optim.cpp:[[#@LINE+1]]:11: error: the step count of 'torch::optim::Adam' is on the host
    first.step();
    // CHECK: :[[#@LINE+1]]:13: error: the step count of 'torch::optim::Adam'
    second->step();
    // CHECK: :[[#@LINE+1]]:9: warning: a capture freezes the learning rate of 'torch::optim::SGD'; that of 'graphed::optim::SGD' is on the device [graphed-torch-optim]
    sgd.step();
    // CHECK: :[[#@LINE+1]]:11: error: 'torch::optim::LBFGS' reads values on the host, which a graph cannot do [graphed-torch-optim]
    lbfgs.step();
    // CHECK: :[[#@LINE+1]]:15: error: a scheduler sets learning rates when the graph is captured, not in replays [graphed-torch-optim]
    scheduler.step();
    // CHECK: :[[#@LINE+1]]:21: warning: 'set_lr' sets a learning rate when the graph is captured, not in replays [graphed-torch-optim]
    first.options().set_lr(0.1);
    // CHECK: :[[#@LINE+1]]:23: error: 'clip_grad_norm_' reads the norm on the host, which a graph cannot do; 'graphed::clip_grad_norm_' does not [graphed-torch-optim]
    torch::nn::utils::clip_grad_norm_({x}, 1.0);
  }
  torch::optim::Adam first;
  std::unique_ptr<torch::optim::Adam> second;
  torch::optim::SGD sgd;
  torch::optim::LBFGS lbfgs;
  torch::optim::StepLR scheduler;
};

// The runtime's; an optimizer that may be the runtime's; what asks the device needlessly; another step.
struct Walk {
  void step() {}
};
struct SafeTrainer {
  GRAPHED(x: f32[2]; step) void named(const torch::Tensor& x) {
    adam.zero_grad();
    adam.step();
    some->step();
    torch::nn::utils::clip_grad_value_({x}, 1.0);
    graphed::clip_grad_norm_({x}, 1.0);
    walk.step();
  }
  graphed::optim::Adam adam;
  std::unique_ptr<torch::optim::Optimizer> some;
  Walk walk;
};

// A number that is dropped, where captures take numbers apart anyway.
struct Clips {
  GRAPHED(x: f32[2]; step) float drops(const torch::Tensor& x) {
    torch::nn::utils::clip_grad_norm_({x}, 1.0);
    static_cast<void>(torch::nn::utils::clip_grad_norm_({x}, 1.0));
    if (x.dim() == 1) (torch::nn::utils::clip_grad_norm_({x}, 1.0, 2.0, false));
    return x.sum().item<float>();
  }
  GRAPHED(x: f32[2]; step) float looks(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:23: error: 'clip_grad_norm_' reads the norm on the host, which a graph cannot do; 'graphed::clip_grad_norm_' does not [graphed-torch-optim]
    torch::nn::utils::clip_grad_norm_({x}, 1.0, 2.0, true);
    // CHECK: :[[#@LINE+1]]:43: error: 'clip_grad_norm_' reads
    const double norm = torch::nn::utils::clip_grad_norm_({x}, 1.0);
    // CHECK: :[[#@LINE+1]]:27: error: 'clip_grad_norm_' reads
    if (torch::nn::utils::clip_grad_norm_({x}, 1.0)) {
    }
    return x.sum().item<float>();
  }
};

#define STEP(optimizer) optimizer.step()
GRAPHED(x: f32[2]; step) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: the step count of 'torch::optim::Adam'
  // CHECK: :[[#@LINE-3]]:35: note: expanded from macro 'STEP'
  STEP(adam);
}

template <class Optimizer>
void update(Optimizer& optimizer) {
  // CHECK: :[[#@LINE+2]]:13: error: the step count of 'torch::optim::Adam'
  // CHECK: note: called from 'in_a_template' here
  optimizer.step();
}
GRAPHED(x: f32[2]; step) void in_a_template(const torch::Tensor& x) { update(adam); }

GRAPHED(x: f32[2]; step) void silenced(const torch::Tensor& x) {
  adam.step();  // graphgen: allow(graphed-torch-optim)
}
