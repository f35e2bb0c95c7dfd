// SPDX-License-Identifier: Apache-2.0
//
// Threads that go back through callables of their own, which close over one leaf.
#pragma once

#include "device_test.h"

#include <memory>
#include <thread>
#include <vector>

namespace graphed::testing {

/// Its `.grad` is the sum of all gradients, none lost.
inline void expect_sum_of_threads(c10::Device device, const settings& settings = {}) {
  constexpr int threads = 3, steps = 60;
  const at::Tensor w = at::zeros({64}, at::TensorOptions(device)).requires_grad_();
  std::vector<std::unique_ptr<test_callable>> callables;
  const at::Tensor ones = at::ones({64}, at::TensorOptions(device));
  for (int i = 0; i < threads; ++i) {
    callables.push_back(std::make_unique<test_callable>(
        std::vector<argument>{{"x", {64}}}, [&w](tensor_list& in) { return tensor_list{in[0] * w}; }, settings));
    for (int step = 0; step < 4; ++step) {
      (*callables.back())({ones})[0].backward(ones);
    }
  }
  w.mutable_grad() = at::zeros_like(w);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      for (int step = 0; step < steps; ++step) {
        (*callables[static_cast<std::size_t>(i)])({ones})[0].backward(ones);
      }
    });
  }
  for (auto& thread : running) {
    thread.join();
  }
  EXPECT_TRUE(at::equal(w.grad(), ones * threads * steps)) << w.grad()[0].item<float>();
}

}  // namespace graphed::testing
