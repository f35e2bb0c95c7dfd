// SPDX-License-Identifier: Apache-2.0
//
// Work of other threads.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/writes.h>
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <future>
#include <thread>

// CHECK: writes.h:{{[0-9]+}}:{{[0-9]+}}: error: what 'std::thread' runs
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { writes::fork(); }

GRAPHED(x: f32[2]) void starts(const torch::Tensor& x) {
  // CHECK: thread.cpp:[[#@LINE+1]]:15: error: what 'std::thread' runs is not part of the graph: replays leave it out [graphed-thread]
  std::thread worker([&] { x.tanh(); });
  worker.join();
  // CHECK: :[[#@LINE+1]]:8: error: what 'std::async' runs
  std::async([&] { return x.tanh(); });
  // CHECK: :[[#@LINE+1]]:8: error: what 'std::async' runs
  std::async(std::launch::async, [&] { return x.tanh(); });
  // CHECK: :[[#@LINE+1]]:7: error: what 'parallel_for' runs
  at::parallel_for(0, 2, 1, [&](std::int64_t begin, std::int64_t end) {});
}

// Nothing is started, and what is put off runs in this thread.
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  std::thread none;
  std::thread moved(std::move(none));
  std::async(std::launch::deferred, [&] { return x.tanh(); }).get();
}

#define START(work) std::thread(work).join()
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: error: what 'std::thread' runs
  // CHECK: note: expanded from macro 'START'
  START([] {});
}

template <class Thread>
void start() {
  // CHECK: :[[#@LINE+2]]:10: error: what 'std::thread' runs
  // CHECK: note: called from 'in_a_template' here
  Thread worker([] {});
  worker.join();
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { start<std::thread>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  std::thread([] {}).join();  // graphgen: allow(graphed-thread)
}
GRAPHED(x: f32[2]; allow = graphed-thread) void allowed(const torch::Tensor& x) { std::thread([] {}).join(); }
