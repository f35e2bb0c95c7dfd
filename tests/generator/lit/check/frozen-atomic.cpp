// SPDX-License-Identifier: Apache-2.0
//
// Atomic numbers that a capture freezes, since the callable changes them as well. Calls look at the others.
// RUN: graphgen --check --checks=-graphed-host-state %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <atomic>

struct Net : torch::nn::Module {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) {
    torch::Tensor y = x + x;
    gain = 2, other = 2, on = true, ++count, added += 1;
    // CHECK: frozen-atomic.cpp:[[#@LINE+2]]:12: warning: 'gain' is read when the graph is captured: replays keep that value [graphed-frozen]
    // CHECK: :[[#@LINE+26]]:38: note: it is changed here
    y.mul_(gain.load());
    // CHECK: :[[#@LINE+2]]:12: warning: 'gain' is read
    // CHECK: note: it is changed here
    y.mul_(gain.load(std::memory_order_relaxed));
    // CHECK: :[[#@LINE+2]]:18: warning: 'gain' is read
    // CHECK: note: it is changed here
    y.mul_(1.0 * gain);
    // CHECK: :[[#@LINE+2]]:12: warning: 'other' is read
    // CHECK: :[[#@LINE+18]]:40: note: it is changed here
    y.mul_(other.load());
    // CHECK: :[[#@LINE+2]]:19: warning: 'count' is read
    // CHECK: :[[#@LINE+16]]:17: note: it is changed here
    y.mul_(double(count.load()));
    // CHECK: :[[#@LINE+2]]:25: warning: 'added' is read
    // CHECK: :[[#@LINE+14]]:22: note: it is changed here
    y.mul_(double(this->added));
    // CHECK: :[[#@LINE+2]]:9: warning: 'on' is read
    // CHECK: :[[#@LINE+12]]:37: note: it is changed here
    if (on) { y.zero_(); }
    // Written by the constructor alone.
    y.mul_(fixed.load());
    y.mul_(double(size));
    return y;
  }
  explicit Net(double given) { fixed.store(given); size = 2; }
  void set_gain(double value) { gain.store(value); }
  void set_other(double value) { other = value; }
  void bump() { ++count; }
  void add() { added.fetch_add(2); }
  bool swap(bool value) { return on.exchange(value); }
  std::atomic<double> gain{1}, other{1}, fixed{1};
  std::atomic<int> count{0}, added{0}, size{0};
  std::atomic<bool> on{false};
};
