// SPDX-License-Identifier: Apache-2.0
//
// A callable with something that happens at one stage of its calls.
#pragma once

#include "scenario.h"

#include <functional>
#include <optional>

namespace graphed::testing {

/// In the order in which a program comes to them.
enum class stage {
  before_the_calls,
  warm_up,
  forward_capture,
  backward_capture,
  first_replay,  ///< on CUDA within the call that captures; on the tape, where the capture was the call, within the next one
  later_replay,
  staging,  ///< of a call before which a result is held: it moves to fresh memory, then the arguments are copied
  backward,
  destruction,
};

/// What the operator does on the host before it computes; empty where it does nothing.
inline std::function<void()> in_the_operator;
/// The operator itself: a copy of `x`.
at::Tensor call_operator(const at::Tensor& x);

/// Two warm-ups, the capture, then replays, each with its backward. Its callable runs an operator of the test's own in both directions.
class staged_program {
 public:
  explicit staged_program(c10::Device device);

  /// Every call before the one that the stage belongs to.
  void run_up_to(stage end);
  /// The stage. `what` is called within it: inside of the operator in a warm-up or capture, on the host just before the launch of a replay,
  /// else before the call. `undo` comes after it, where nothing was thrown.
  void run(stage now, const std::function<void()>& what, const std::function<void()>& undo = [] {});
  /// As all calls here: throws std::logic_error for other bits than the original function's.
  void run_calls(int count);

  bool is_result(const at::Tensor& tensor) const { return same_bits(tensor, result_); }
  bool has_gradient() const { return w_.grad().defined(); }
  Statistics stats() const { return callable_->stats(); }
  const at::Tensor& x() const { return x_; }

  at::Tensor held;  ///< a result of the call before the last

 private:
  // 64 MiB, on a CPU 256 KiB: an allocation of its own each.
  int64_t size() const { return device_.is_cpu() ? 256 : 4096; }
  at::Tensor filled(double value) const { return at::full({size(), size()}, value, at::TensorOptions(device_)); }
  std::vector<argument> arguments() const { return {{"x", {size(), size()}}, {"w", {size(), size()}, at::kFloat, /*grad=*/true}}; }

  at::Tensor forward();
  void go_back(const at::Tensor& y);

  const c10::Device device_;
  const at::Tensor x_, w_, gradient_;
  at::Tensor result_, w_gradient_;
  std::optional<test_callable> callable_;
};

}  // namespace graphed::testing
