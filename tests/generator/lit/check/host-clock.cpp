// SPDX-License-Identifier: Apache-2.0
//
// Clocks, read.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

#include <ctime>
#include <thread>

// CHECK: sync.h:{{[0-9]+}}:55: warning: 'now' is read when the graph is captured, not by replays [graphed-host-clock]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { in_header::now(); }

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  // CHECK: host-clock.cpp:[[#@LINE+1]]:49: warning: 'now' is read when the graph is captured, not by replays [graphed-host-clock]
  const auto start = std::chrono::steady_clock::now();
  // CHECK: :[[#@LINE+1]]:8: warning: 'time' is read
  std::time(nullptr);
  // CHECK: :[[#@LINE+1]]:21: warning: the thread sleeps when the graph is captured, not in replays
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Read once, by a warm-up; the program's own functions.
struct Clock {
  static int now() { return 0; }
};
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  static const auto start = std::chrono::steady_clock::now();
  Clock::now();
}

#define NOW() std::chrono::system_clock::now()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: 'now' is read
  // CHECK: :[[#@LINE-3]]:42: note: expanded from macro 'NOW'
  NOW();
}

template <class Clock>
void timed() {
  // CHECK: :[[#@LINE+2]]:10: warning: 'now' is read
  // CHECK: note: called from 'in_a_template' here
  Clock::now();
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { timed<std::chrono::steady_clock>(); timed<Clock>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  std::time(nullptr);  // graphgen: allow(graphed-host-clock)
}
