// SPDX-License-Identifier: Apache-2.0
//
// An optimizer that is used as its base is what the callable, or the unit, has made it of.
// RUN: not graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <graphed/optim.h>
#include <torch/optim.h>

#include <memory>

using torch::Tensor;

// CHECK: torch-optim-base.cpp:[[#@LINE+2]]:61: error: the step count of 'torch::optim::Adam' is on the host
// CHECK: :[[#@LINE+13]]:5: note: called from 'Trainer::by_parameter' here
void update(torch::optim::Optimizer& optimizer) { optimizer.step(); }

struct Trainer {
  GRAPHED(x: f32[2]; step) void by_reference(const Tensor& x) {
    torch::optim::Optimizer& same = adam;
    // CHECK: :[[#@LINE+1]]:10: error: the step count of 'torch::optim::Adam' is on the host
    same.step();
    torch::optim::Optimizer* pointer = &sgd;
    // CHECK: :[[#@LINE+1]]:14: warning: a capture freezes the learning rate of 'torch::optim::SGD'
    pointer->step();
  }
  GRAPHED(x: f32[2]; step) void by_parameter(const Tensor& x) {
    update(adam);
  }
  GRAPHED(x: f32[2]; step) void by_member(const Tensor& x) {
    // CHECK: :[[#@LINE+1]]:11: error: the step count of 'torch::optim::Adam' is on the host
    made->step();
    // CHECK: :[[#@LINE+1]]:13: warning: the step count of 'torch::optim::Adam' is on the host
    either->step();
  }

  // The runtime's, and one that is passed in.
  GRAPHED(x: f32[2]; step) void safe(const Tensor& x) {
    torch::optim::Optimizer& same = capturable;
    same.step();
    given->step();
  }
  explicit Trainer(bool is_large, std::unique_ptr<torch::optim::Optimizer> given) : given(std::move(given)) {
    if (is_large) {
      either = std::make_unique<torch::optim::Adam>();
    } else {
      either = std::make_unique<graphed::optim::Adam>();
    }
  }
  torch::optim::Adam adam;
  torch::optim::SGD sgd;
  graphed::optim::Adam capturable;
  std::unique_ptr<torch::optim::Optimizer> made = std::make_unique<torch::optim::Adam>(), either, given;
};
