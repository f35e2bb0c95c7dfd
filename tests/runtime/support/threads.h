// SPDX-License-Identifier: Apache-2.0
//
// What the tests of threads share.
#pragma once

#include "device_test.h"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace thread_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

/// Instantiated in thread_test.cpp.
class Thread : public device_test {};

inline const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};

inline Tensor layer_of(const Tensor& x, const Tensor& w) { return x.matmul(w).tanh(); }

inline tensor_list layer(tensor_list& in) { return {layer_of(in[0], in[1])}; }

/// Random numbers from the host: LibTorch's CUDA generator refuses to draw in one thread while another one captures.
inline Tensor random(const scenario& run, at::IntArrayRef sizes) { return at::randn(sizes).to(run.device()); }

/// Runs `work` in `count` threads, each with its number, and tells how many of them found a difference.
inline int differing(int count, const std::function<bool(int)>& work) {
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const collected_warnings quiet;
      try {
        if (!work(i)) {
          ++different;
        }
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  return different;
}

}  // namespace thread_test
