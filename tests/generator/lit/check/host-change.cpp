// SPDX-License-Identifier: Apache-2.0
//
// Numbers that host parts change, and that the code behind them reads.
// RUN: graphgen --check --diagnostics-format=json %s %flags | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <graphed/host.h>
#include <torch/torch.h>

#include <functional>
#include <vector>

static int draws = 0;

struct Agent {
  double seen = 0;

  GRAPHED(x: f32[2]) torch::Tensor act(const torch::Tensor& x) {
    graphed::host([this, x] {
      seen = x.item<float>();
      ++draws;
    });
    // CHECK: host-change.cpp:[[#@LINE+4]]:16: warning: 'seen' is read when the graph is captured, behind a host part that changes it: replays keep the value [graphed-frozen]
    // CHECK: :[[#@LINE-4]]:12: note: it is changed here
    // CHECK: :[[#@LINE+2]]:23: warning: 'draws' is read when the graph is captured, behind a host part
    // CHECK: :[[#@LINE-5]]:7: note: it is changed here
    return x * seen * draws;
  }
};

struct Scaled {
  double scale = 1;
  void note(const torch::Tensor& y) { scale = y.item<float>(); }
  torch::Tensor scaled(const torch::Tensor& y) const {
    // CHECK: :[[#@LINE+3]]:16: warning: 'scale' is read when the graph is captured, behind a host part
    // CHECK: :[[#@LINE-3]]:45: note: it is changed here
    // CHECK: :[[#@LINE+6]]:12: note: called from 'Scaled::call' here
    return y * scale;
  }

  GRAPHED(x: f32[2]) torch::Tensor call(const torch::Tensor& x) {
    graphed::host([this, x] { note(x); });
    return scaled(x);
  }
};

// Only host parts read it, it is read before, or the body sets it again.
struct Safe {
  double seen = 0, last = 0;
  std::vector<float> losses;

  GRAPHED(x: f32[2]) torch::Tensor act(const torch::Tensor& x) {
    const torch::Tensor before = x * seen;
    graphed::host([this, x] { seen = x.item<float>(); });
    graphed::host([this] { losses.push_back(static_cast<float>(seen)); });
    return before + x;
  }
  GRAPHED(x: f32[2]) torch::Tensor set_again(const torch::Tensor& x) {
    graphed::host([this, x] { last = x.item<float>(); });
    last = 2;
    return x * last;
  }
};

// A part need not be spelled where it is given.
struct Named {
  Named() { stored = [this] { last = 3; }; }
  double seen = 0, last = 0;
  std::function<void()> stored;

  GRAPHED(x: f32[2]) torch::Tensor act(const torch::Tensor& x) {
    double* const to = &seen;
    const auto part = [to, x] { *to = x.item<float>(); };
    graphed::host(part);
    graphed::host(stored);
    // CHECK: :[[#@LINE+4]]:16: warning: 'seen' is read when the graph is captured, behind a host part
    // CHECK: :[[#@LINE-4]]:37: note: it is changed here
    // CHECK: :[[#@LINE+2]]:23: warning: 'last' is read when the graph is captured, behind a host part
    // CHECK: :[[#@LINE-12]]:36: note: it is changed here
    return x * seen * last;
  }
};
