// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops that a tensor's value decides. The host decides in an eager call and in a warm-up; a capture holds all bodies.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/FunctionRef.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace graphed::impl {

/// What decides which body runs.
struct flow_choice {
  at::Tensor truth;                 ///< one element of bool; the body of a loop writes it
  std::optional<int64_t> at_most;   ///< so many times, of a loop; none: the first body where it is true, else the second
  bool second_comes_first = false;  ///< as bodies are captured

  bool is_loop() const { return at_most.has_value(); }
  /// The number of the body that is captured in this turn.
  std::size_t body_in_turn(std::size_t turn) const { return second_comes_first ? 1 - turn : turn; }
  /// "graphed::if_else"
  const char* name() const { return is_loop() ? "graphed::while_loop" : "graphed::if_else"; }
};
using flow_body = c10::function_ref<void()>;

/// A capture that holds control flow.
class flow_capture {
 public:
  flow_capture() = default;
  virtual ~flow_capture() = default;
  flow_capture& operator=(flow_capture&&) = delete;

  /// On the thread that captures: runs each body once, and captures it. Bodies may come to others. Throws what a body throws, with nothing
  /// left of the choice.
  virtual void choose(const flow_choice& what, c10::ArrayRef<flow_body> bodies) = 0;
  /// Also while a body is captured: what `make` allocates is there before the choice.
  virtual void make_outside(c10::function_ref<void()> make) { make(); }
};

}  // namespace graphed::impl
