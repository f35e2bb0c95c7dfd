// SPDX-License-Identifier: Apache-2.0
//
// What the tests of threads share.
#pragma once

#include "device_test.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace thread_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

inline const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};

inline Tensor layer_of(const Tensor& x, const Tensor& w) { return x.matmul(w).tanh(); }

inline tensor_list layer(tensor_list& in) { return {layer_of(in[0], in[1])}; }

/// A callable that waits at the end of its capture, on a thread of its own, until it is let go on.
class held_capture {
 public:
  held_capture(const Tensor& x, const std::function<Tensor(const Tensor&)>& body)
      : f_({{"x", x.sizes().vec()}}, [this, body](tensor_list& in) {
          const Tensor result = body(in[0]);
          if (++runs_ == 3) {
            inside_.set_value();
            leave_.get_future().wait();
          }
          return tensor_list{result};
        }) {
    f_({x}), f_({x});
    capturing_ = std::thread([this, x] { result_ = f_({x})[0]; });
    inside_.get_future().wait();
  }
  ~held_capture() {
    if (capturing_.joinable()) {
      finish();
    }
  }
  const Tensor& finish() {
    leave_.set_value();
    capturing_.join();
    EXPECT_EQ(f_.stats().captures, 1U) << f_.stats();
    EXPECT_EQ(f_.stats().failed_captures, 0U) << f_.stats();
    return result_;
  }
  test_callable& callable() { return f_; }

 private:
  int runs_ = 0;
  std::promise<void> inside_, leave_;
  test_callable f_;
  Tensor result_;
  std::thread capturing_;
};

/// Each of its tests runs twice: alone, and, as WhileCapturing/Thread, while a thread that has nothing to do with it captures.
/// Instantiated in thread_test.cpp.
class Thread : public device_test {
 protected:
  /// That capture, open as long as the result lives, or null. What the test needs has been captured before.
  std::unique_ptr<held_capture> others_capture() const {
    const std::string suite = ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name();
    if (suite.rfind("WhileCapturing/", 0) != 0) {
      return nullptr;
    }
    return std::make_unique<held_capture>(at::ones({16, 8}).to(device()), [](const Tensor& x) { return x.mm(x.t()).tanh(); });
  }
};

/// What one thread does while another one captures. Instantiated in thread_capture_test.cpp.
class DuringACapture : public device_test {};

inline Tensor random(const scenario& run, at::IntArrayRef sizes) { return at::randn(sizes, run.options()); }

/// Runs `work` in `count` threads, each with its number, and says how many of them found a difference.
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
