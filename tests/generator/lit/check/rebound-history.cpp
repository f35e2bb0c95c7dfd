// SPDX-License-Identifier: Apache-2.0
//
// Members to which a step gives a tensor with a history, or another leaf.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/nn.h>
#include <torch/torch.h>

torch::Tensor made(const torch::Tensor& like) { return at::zeros_like(like).requires_grad_(); }

struct Learner : torch::nn::Module {
  explicit Learner(const torch::Tensor& like)
      : log_alpha(at::zeros_like(like).requires_grad_()), weight(made(like)), frozen(at::zeros_like(like).requires_grad_(false)) {
    later = at::zeros_like(like);
    later.requires_grad_(true);
  }

  GRAPHED(x: f32[2]; step) void keeps(const torch::Tensor& x) {
    // CHECK: :[[#@LINE+1]]:11: warning: the member 'alpha' keeps a history, with which no step is captured; assign its 'detach()' [graphed-rebound]
    alpha = log_alpha.tanh() + alpha;
    // CHECK: :[[#@LINE+1]]:11: warning: the member 'alpha' keeps a history
    alpha = x + weight + alpha;
    // CHECK: :[[#@LINE+1]]:11: warning: the member 'alpha' keeps a history
    alpha = later.tanh() + alpha;
    // CHECK: :[[#@LINE+1]]:10: warning: the member 'loss' keeps a history
    loss = linear->forward(x);
    // CHECK: :[[#@LINE+1]]:12: error: the member 'weight' is another leaf in each call, with which no step is captured; write into the one that is there, without gradients: 'copy_' [graphed-rebound]
    weight = (weight + x).detach().requires_grad_();
  }

  GRAPHED(x: f32[2]; step) void keeps_values(const torch::Tensor& x) {
    alpha = log_alpha.tanh().detach() + alpha;
    alpha = x + frozen + alpha;
    alpha = at::zeros_like(log_alpha) + alpha;
    const torch::NoGradGuard no_grad;
    alpha = log_alpha.tanh() + alpha;
  }

  // No step: calls give the history on.
  GRAPHED(x: f32[2]) torch::Tensor unrolls(const torch::Tensor& x) {
    alpha = alpha + weight;
    return alpha + x;
  }

  torch::Tensor log_alpha, weight, frozen, later, alpha, loss;
  torch::nn::Linear linear;
};
