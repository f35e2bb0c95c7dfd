// SPDX-License-Identifier: Apache-2.0
//
// Other threads are waited for.
// RUN: graphgen --check %s %flags -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

struct Queue {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x) {
    // CHECK: thread-waits.cpp:[[#@LINE+1]]:34: warning: a lock is taken when the graph is captured, not by replays [graphed-thread]
    std::unique_lock<std::mutex> lock(mutex);
    // CHECK: thread-waits.cpp:[[#@LINE+1]]:11: warning: 'wait_for' waits for another thread when the graph is captured, not in replays [graphed-thread]
    ready.wait_for(lock, std::chrono::milliseconds(1));
    // CHECK: :[[#@LINE+1]]:11: warning: 'wait' waits for another thread
    ready.wait(lock);
    ready.notify_all();
    return x + x;
  }
  std::mutex mutex;
  std::condition_variable ready;
};
