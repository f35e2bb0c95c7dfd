// SPDX-License-Identifier: Apache-2.0
//
// What leaks or is lost, and gradients, with LibTorch's own declarations.
// REQUIRES: torch
// RUN: not graphgen --check %s %libtorch_flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <thread>

struct Scale : torch::autograd::Function<Scale> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x) {
    // CHECK: lost.cpp:[[#@LINE+1]]:13: error: {{.*}} [graphed-host-item]
    x.sum().item<float>();
    return x * 2;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    // CHECK: :[[#@LINE+2]]:24: warning: {{.*}} [graphed-host-item]
    // CHECK: note: in the backward of what 'NetImpl::loses' applies here
    gradients[0].sum().item<float>();
    return gradients;
  }
};

struct NetImpl : torch::nn::Module {
  NetImpl() : first(register_module("first", torch::nn::Linear(2, 2))), mean(register_buffer("mean", torch::zeros({2}))) {}

  GRAPHED(x: f32[2, 2], n: i64[2]) torch::Tensor loses(torch::Tensor x, const torch::Tensor& n) {
    // CHECK: :[[#@LINE+1]]:7: error: {{.*}} [graphed-unmarked-write]
    x.add_(1);
    // CHECK: :[[#@LINE+1]]:10: error: {{.*}} [graphed-unmarked-write]
    x[0] = 1;
    // CHECK: :[[#@LINE+1]]:7: error: {{.*}} [graphed-unmarked-write]
    x += mean;
    // CHECK: :[[#@LINE+1]]:7: error: {{.*}} [graphed-unmarked-write]
    x.index_put_({n}, mean);
    // CHECK: :[[#@LINE+1]]:12: error: {{.*}} [graphed-unmarked-write]
    torch::relu_(x);
    // CHECK: :[[#@LINE+1]]:9: error: {{.*}} [graphed-unmarked-write]
    at::add_out(x, mean, mean);
    // CHECK: :[[#@LINE+1]]:7: error: {{.*}} [graphed-metadata]
    x.requires_grad_();
    // CHECK: :[[#@LINE+1]]:7: error: {{.*}} [graphed-metadata]
    x.t_();
    // CHECK: :[[#@LINE+1]]:10: warning: {{.*}} [graphed-metadata]
    mean.set_data(x * 2);
    // CHECK: :[[#@LINE+1]]:12: warning: {{.*}} [graphed-rebound]
    hidden = torch::tanh(x);
    // CHECK: :[[#@LINE+2]]:14: warning: {{.*}} [graphed-rebound]
    // CHECK: :[[#@LINE+1]]:22: warning: {{.*}} [graphed-rebound]
    std::tie(hidden, cell) = torch::max(x, 0);
    // CHECK: :[[#@LINE+1]]:19: error: {{.*}} [graphed-hook]
    first->weight.register_hook([](const torch::Tensor& gradient) { return gradient * 2; });
    // CHECK: :[[#@LINE+1]]:19: warning: {{.*}} [graphed-rebound]
    first->weight = x * 2;
    // CHECK: :[[#@LINE+1]]:12: error: {{.*}} [graphed-seed]
    torch::manual_seed(1);
    // CHECK: :[[#@LINE+1]]:9: error: {{.*}} [graphed-thread]
    at::parallel_for(0, 2, 1, [&](int64_t begin, int64_t end) {});
    // CHECK: :[[#@LINE+1]]:17: error: {{.*}} [graphed-thread]
    std::thread worker([] {});
    // CHECK: :[[#@LINE+1]]:19: warning: {{.*}} [graphed-mode]
    at::GradMode::set_enabled(true);
    // CHECK: :[[#@LINE+1]]:12: warning: {{.*}} [graphed-device]
    torch::ones({2}, torch::kCPU);
    // CHECK: :[[#@LINE+1]]:13: warning: {{.*}} [graphed-backward]
    x.sum().backward();
    return Scale::apply(x);
  }

  GRAPHED(x: f32[2, 2] grad, out: f32[2, 2] inplace) torch::Tensor keeps(const torch::Tensor& x, torch::Tensor out) {
    const torch::NoGradGuard no_grad;
    out.copy_(x);
    out[0] = mean;
    mean.mul_(0.9).add_(x[0], 0.1);
    mean.index_put_({torch::indexing::Slice(0, 1)}, 1.0);
    for (auto& parameter : parameters()) {
      parameter.mul_(0.9);
    }
    for (auto& parameter : named_parameters()) {
      parameter.value().mul_(0.9);
    }
    if (!cell.defined()) {
      cell = torch::zeros({2, 2}, x.options());
    }
    torch::Tensor h = first(x);
    // CHECK: :[[#@LINE+1]]:11: warning: the argument 'x' is marked 'grad', {{.*}} [graphed-cut-gradient]
    h = h + cell;
    h.relu_();
    h[0] = 1;
    return torch::dropout_(h, 0.5, true);
  }

  torch::nn::Linear first;
  torch::Tensor mean, hidden, cell;
};
TORCH_MODULE(Net);

// An optimizer of the program's own, whose states are in LibTorch's map: what TORCH_ARG's setters do is reported where they are called.
struct CountedState : torch::optim::OptimizerCloneableParamState<CountedState> {
  TORCH_ARG(int64_t, steps) = 0;

 public:
  ~CountedState() override = default;
};
struct Counted : torch::optim::Optimizer {
  using Optimizer::Optimizer;
  GRAPHED(x: f32[8])
  torch::Tensor update(torch::Tensor x) {
    auto& at = static_cast<CountedState&>(*state_.at(x.unsafeGetTensorImpl()));
    // CHECK: :[[#@LINE+1]]:8: warning: 'steps_' changes when the graph is captured, not in replays [graphed-host-state]
    at.steps(at.steps() + 1);
    auto found = state_.find(x.unsafeGetTensorImpl());
    auto& second = static_cast<CountedState&>(*found->second);
    // CHECK: :[[#@LINE+1]]:12: warning: 'steps_' changes
    second.steps(second.steps() * 2);
    return x + x;
  }
  torch::Tensor step(LossClosure) override { return {}; }
};
