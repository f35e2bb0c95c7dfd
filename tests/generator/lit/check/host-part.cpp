// SPDX-License-Identifier: Apache-2.0
//
// What graphed::host runs is host code; but it runs again in each replay, when the call's variables are gone.
// RUN: not graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <graphed/host.h>
#include <torch/torch.h>

#include <iostream>
#include <vector>

torch::Tensor sampled(const torch::Tensor& x) { return x.item<float>() > 0 ? x : x + x; }

GRAPHED(x: f32[2]) torch::Tensor safe(const torch::Tensor& x) {
  const torch::Tensor y = x + x;
  graphed::host([=] { std::cout << y << y.item<float>(); });
  const torch::Tensor token = graphed::host([y] { return sampled(y.cpu()); });
  graphed::host([token]() mutable {
    if (token.item().toBool()) {
      std::cout << "stop";
    }
  });
  return token + y;
}

struct Agent {
  std::vector<float> seen;
  torch::Tensor weight;

  GRAPHED(x: f32[2]) torch::Tensor act(const torch::Tensor& x) {
    const torch::Tensor y = x * weight;
    graphed::host([this, y] { seen.push_back(y.item<float>()); });
    return y;
  }
};

static int calls = 0;

GRAPHED(x: f32[2]) torch::Tensor of_everything(const torch::Tensor& x) {
  const torch::Tensor y = x + x;
  // CHECK: host-part.cpp:[[#@LINE+3]]:17: error: 'y' is captured by reference, and is gone when a replay runs this: capture it by value [graphed-host-part]
  // CHECK: fix-it:{{.*}}:{[[#@LINE+2]]:18-[[#@LINE+2]]:19}:"="
  // CHECK: :[[#@LINE-3]]:23: note: declared here
  graphed::host([&] { std::cout << y.item<float>() << ++calls; });
  return y;
}

GRAPHED(x: f32[2]) torch::Tensor of_one(const torch::Tensor& x) {
  const torch::Tensor y = x + x;
  // CHECK: host-part.cpp:[[#@LINE+3]]:24: error: 'x' is captured by reference
  // CHECK: fix-it:{{.*}}:{[[#@LINE+2]]:28-[[#@LINE+2]]:29}:""
  // CHECK: :[[#@LINE-4]]:62: note: declared here
  return graphed::host([y, &x] { return x.item<float>() > 0 ? y : x; });
}

// No fix is right where a part changes what it captures, or where C++ takes no such list of captures.
GRAPHED(x: f32[2]) torch::Tensor changes(const torch::Tensor& x) {
  torch::Tensor y = x + x;
  int count = 0;
  // CHECK: :[[#@LINE+3]]:17: error: 'count' is captured by reference
  // CHECK-NOT: fix-it
  // CHECK: :[[#@LINE-3]]:7: note: declared here
  graphed::host([&] { count += y.item<float>() > 0; });
  // CHECK: :[[#@LINE+3]]:17: error: 'x' is captured by reference
  // CHECK-NOT: fix-it
  // CHECK: note: declared here
  graphed::host([&, y] { std::cout << x << y; });
  // CHECK: :[[#@LINE+3]]:17: error: 'y' is captured by reference
  // CHECK-NOT: fix-it
  // CHECK: note: declared here
  graphed::host([=, &y] { std::cout << x << y; });
  // CHECK: :[[#@LINE+3]]:17: error: 'y' is captured by reference
  // CHECK: fix-it:{{.*}}:{[[#@LINE+2]]:18-[[#@LINE+2]]:19}:"="
  // CHECK: note: declared here
  graphed::host([&]() mutable {
    int own = 0;
    ++own;
    std::cout << y << own;
  });
  return y;
}

// A statement alone can go there as it is; one whose value is used, or that changes a variable of the call, cannot.
GRAPHED(x: f32[2]) torch::Tensor moves(const torch::Tensor& x) {
  torch::Tensor y = x + x;
  // CHECK: :[[#@LINE+3]]:13: error: printing a tensor
  // CHECK: fix-it:"{{.*}}host-part.cpp":{[[#@LINE+2]]:3-[[#@LINE+2]]:3}:"graphed::host([=] { "
  // CHECK: fix-it:"{{.*}}host-part.cpp":{[[#@LINE+1]]:18-[[#@LINE+1]]:18}:" });"
  std::cout << y;
  // CHECK: :[[#@LINE+2]]:9: error: {{.*}} [graphed-host-copy]
  // CHECK-NOT: fix-it
  y = y.cpu();
  return y;
}

GRAPHED(x: f32[2]) torch::Tensor outside(const torch::Tensor& x) {
  graphed::host([=] { return x.item<float>(); });
  // CHECK: :[[#@LINE+2]]:9: error: {{.*}} [graphed-host-branch]
  // CHECK: :[[#@LINE+1]]:7: note: the branch is here
  if (x.item<float>() > 0) {
    return x;
  }
  return x + x;
}
