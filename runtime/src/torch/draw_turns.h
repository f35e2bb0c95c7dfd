// SPDX-License-Identifier: Apache-2.0
//
// Up to LibTorch 2.11 a generator is captured or is not, for all threads. An operator throws that draws in a capture from one that is not,
// or outside of captures from one that is. Later versions know which capture an operator belongs to.
#pragma once

#include "torch/libtorch_version.h"

#if !GRAPHED_LIBTORCH_AT_LEAST(2, 12)

#include <ATen/record_function.h>

#include <chrono>
#include <functional>

namespace graphed::impl {

/// While it lives, operators that draw take turns. A generator is captured from begin() on, but free during an operator that is not a part
/// of the capture. One at a time in the process.
class draw_turns {
 public:
  /// `is_part`: whether the calling thread's work is captured. `set_captured`: false at last. Both get the turn of the thread that they are
  /// called on.
  draw_turns(std::function<bool()> is_part, std::function<void(bool)> set_captured);
  /// Waits for an operator that has its turn.
  ~draw_turns();
  draw_turns(const draw_turns&) = delete;
  draw_turns& operator=(const draw_turns&) = delete;

  /// Operators that began before this object take no turn: returns once they had time to draw.
  void await_earlier() const;
  /// The generator is captured from now on.
  void begin();

 private:
  class drawing;
  static std::unique_ptr<at::ObserverContext> take_turn(const at::RecordFunction& function);

  const std::function<bool()> is_part_;
  const std::function<void(bool)> set_captured_;
  bool has_begun_ = false;  ///< under the turn
  at::CallbackHandle callback_ = at::INVALID_CALLBACK_HANDLE;
  std::chrono::steady_clock::time_point made_;  ///< the callback
};

}  // namespace graphed::impl

#endif
