// SPDX-License-Identifier: Apache-2.0
//
// Where tensors go: through views, closures, functions, tuples, copies of structs and elements of lists.
// RUN: graphgen --debug-facts %s %flags | FileCheck %s
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <tuple>
#include <vector>

struct Cell {
  torch::Tensor h, c;
  int steps = 0;
};

struct Recurrent {
  torch::Tensor state;
  std::vector<torch::Tensor> history;
  Cell cell;

  torch::Tensor twice(const torch::Tensor& x) { return x + x; }

  // CHECK-LABEL: Recurrent::forward
  GRAPHED(x: f32[8, 4], m: bool[8], k: key)
  torch::Tensor forward(torch::Tensor x, const torch::Tensor& m, int k) {
    // CHECK: [[#@LINE+1]]:{{.*}} call at::Tensor::view {{.*}} gives {x, f32, {{.*}}device
    auto v = x.view({4, 8});
    // CHECK: [[#@LINE+1]]:{{.*}} write at::Tensor::copy_ {{.*}} on {x, f32, {{.*}}device
    v.copy_(m);
    // CHECK: [[#@LINE+2]]:{{.*}} branch {{.*}} of {per key
    // CHECK: [[#@LINE+1]]:{{.*}} rebind perhaps {{.*}} on {this.state} of
    if (k > 3) state = state + x;
    // CHECK-NOT: branch
    if (sizeof(int) == 8) state = state + x;
    auto f = [&](const torch::Tensor& t) { return twice(t); };
    // CHECK: [[#@LINE+3]]:{{.*}} enter Recurrent::forward{{.*}} `f(x)`
    // CHECK: enter Recurrent::twice
    // CHECK: gives {f32, {{.*}}device
    torch::Tensor z = f(x);
    // CHECK: [[#@LINE+1]]:{{.*}} write perhaps at::Tensor::copy_ {{.*}} on {this.history[...]
    for (auto& each : history) each.copy_(x);
    Cell local = cell;
    // CHECK: [[#@LINE+1]]:{{.*}} write at::Tensor::copy_ {{.*}} on {this.cell.h
    local.h.copy_(x);
    local.c = z;
    // CHECK: [[#@LINE+1]]:{{.*}} call at::Tensor::copy_ {{.*}} {{.*}} with {x,
    local.c.copy_(x);
    auto [a, b] = std::make_tuple(x, z);
    // CHECK: [[#@LINE+1]]:{{.*}} write at::Tensor::copy_ {{.*}} on {x, f32, 2-d, device
    a.copy_(z);
    // CHECK: [[#@LINE+1]]:{{.*}} call at::Tensor::item {{.*}} gives {of a tensor's values}
    float q = z.item<float>();
    // CHECK: [[#@LINE+2]]:{{.*}} branch {{.*}} of {of a tensor's values}
    // CHECK: [[#@LINE+1]]:{{.*}} rebind perhaps {{.*}} on {this.cell.steps}
    if (q > 0) cell.steps++;
    return b;
  }
};
