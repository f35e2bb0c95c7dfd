// SPDX-License-Identifier: Apache-2.0
//
// What a coroutine does may run when it is resumed, or not.
// RUN: graphgen --check %s %flags -std=c++20 -fno-caret-diagnostics 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
Task read(torch::Tensor x) {
  // CHECK: coroutine.cpp:[[#@LINE+2]]:5: warning: 'item' reads a tensor's value on the host
  // CHECK: note: called from 'starts' here
  x.item<float>();
  co_return;
}
GRAPHED(x: f32[2]) void starts(const torch::Tensor& x) { read(x); }
